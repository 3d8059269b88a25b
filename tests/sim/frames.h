// tests/sim/frames.h -- the frames of a message between simulated processes: printed, and damaged.
#pragma once
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/wire/codec.h"

namespace rota::sim {

inline void print(Nanoseconds now, NodeId from, NodeId to, const Frames& frames) {
  const auto header = decode_header(frames);
  std::printf("%9.3f ms  %-14s -> %-14s %s", static_cast<double>(now) / kMillisecond, from.name().c_str(),
              to.name().c_str(), header.ok() ? kind_name(header->kind) : header.status().what().c_str());
  // The last digits of the incarnations: of the sender, and of its peer as it knows it.
  if (header.ok())
    std::printf(" #%llu of start %04llu to %04llu", static_cast<unsigned long long>(header->sequence),
                static_cast<unsigned long long>(header->incarnation % 10000),
                static_cast<unsigned long long>(header->peer_incarnation % 10000));
  std::printf("\n");
}

// One byte is changed, if the part that is drawn has any.
inline void flip(Frames& frames, std::mt19937_64& random) {
  auto& frame = frames[std::uniform_int_distribution<std::size_t>(0, frames.size() - 1)(random)];
  if (frame.empty()) return;
  std::vector<std::byte> bytes(frame.view().begin(), frame.view().end());
  bytes[std::uniform_int_distribution<std::size_t>(0, bytes.size() - 1)(random)] ^= std::byte{0x10};
  frame = Bytes::from(std::move(bytes));
}

}  // namespace rota::sim
