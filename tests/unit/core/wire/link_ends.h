// Two ends of a link, and functions that drive them.
#pragma once
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "core/wire/link.h"

namespace rota {

inline constexpr NodeId kA{Role::worker, 0}, kB{Role::worker, 1};
inline constexpr std::uint64_t kJob = 9;

inline Link link_of(NodeId self, NodeId peer, std::size_t piece_bytes = kPieceBytes) {
  const auto incarnation = [](NodeId id) { return 100 + std::uint64_t{id.index}; };
  return Link({self, incarnation(self), kJob, piece_bytes}, peer, incarnation(peer));
}

inline Bytes bytes_of(std::size_t size) {
  return Bytes::from(std::vector<std::byte>(size));
}

inline void submit(Link& link, RoundId number) {
  link.submit(kA, kB, Kind::has_read, encode_message(HasRead{number}));
}

struct Arrival {
  Header header;
  Message message;
};

inline Arrival open(const Frames& frames) {
  const auto header = decode_header(frames);
  EXPECT_TRUE(header.ok());
  auto message = decode_message(header->kind, {frames.begin() + 1, frames.end()});
  EXPECT_TRUE(message.ok());
  return {*header, *std::move(message)};
}

inline Link::Arrived give(Link& link, const Frames& frames, Nanoseconds now) {
  const auto header = decode_header(frames);
  EXPECT_TRUE(header.ok());
  return link.receive(*header, {frames.begin() + 1, frames.end()}, now);
}

// Gives frames to a link; the number of the message, if it is to be delivered.
inline std::optional<RoundId> arrive(Link& link, const Frames& frames, Nanoseconds now) {
  const Link::Arrived in = give(link, frames, now);
  EXPECT_NE(in.arrival, Link::Arrival::wrong) << in.status.what();
  if (in.arrival != Link::Arrival::deliver) return std::nullopt;
  const auto message = decode_message(in.message.kind, in.message.frames);
  EXPECT_TRUE(message.ok());
  EXPECT_EQ(in.message.from, kA);
  if (const auto* lease = std::get_if<Lease>(&*message)) return lease->to;
  return std::get<HasRead>(*message).number;
}

// All that a link wants to send now.
inline std::vector<Frames> all(Link& link, Nanoseconds now) {
  std::vector<Frames> sent;
  while (auto frames = link.next(now)) sent.push_back(*std::move(frames));
  return sent;
}

inline std::vector<RoundId> deliver(Link& to, const std::vector<Frames>& sent, Nanoseconds now) {
  std::vector<RoundId> numbers;
  for (const Frames& frames : sent)
    if (const auto number = arrive(to, frames, now)) numbers.push_back(*number);
  return numbers;
}

}  // namespace rota
