#include "core/wire/link.h"

#include <algorithm>
#include <iterator>

namespace rota {

// Acknowledgements ride on messages that go the other way anyway; alone they go when this many are owed, or on a tick.
constexpr std::uint64_t kOweMost = 64;
// And after this many bytes, so that a window of large messages does not wait for a tick.
constexpr std::size_t kOweBytesMost = Link::kWindowBytes / 4;

void Link::submit(NodeId from, NodeId to, Kind kind, const Frames& message, std::uint64_t era) {
  const std::size_t before = queued_bytes_;
  if (size_of(message) <= self_.piece_bytes || !may_be_cut(kind)) {
    queue({kind, from, to, 0, message, 0, true, era});
  } else {
    std::vector<Frames> pieces = cut_into_pieces(kind, message, self_.piece_bytes);
    for (std::size_t i = 0; i < pieces.size(); ++i)
      queue({Kind::piece, from, to, 0, std::move(pieces[i]), 0, i + 1 == pieces.size(), era});
  }
  largest_ = std::max(largest_, queued_bytes_ - before);
}

void Link::queue(Outgoing out) {
  out.sequence = next_sequence_++;
  out.bytes = size_of(out.message) + kHeaderSize;
  queued_bytes_ += out.bytes;
  queued_messages_ += out.ends_message ? 1 : 0;
  unacknowledged_.push_back(std::move(out));
}

void Link::forget_before(std::uint64_t era) {
  const auto sent = [this](const Outgoing& out) { return out.sequence <= highest_sent_; };
  auto behind = std::find_if_not(unacknowledged_.begin(), unacknowledged_.end(), sent);
  // A message of which a piece is out goes to its end, or the peer could not join what follows.
  bool amid = behind == unacknowledged_.begin() ? acknowledged_amid_ : !std::prev(behind)->ends_message;
  for (; amid && behind != unacknowledged_.end(); ++behind) amid = !behind->ends_message;
  std::deque<Outgoing> unsent(std::make_move_iterator(behind), std::make_move_iterator(unacknowledged_.end()));
  unacknowledged_.erase(behind, unacknowledged_.end());
  next_sequence_ -= unsent.size();
  for (const Outgoing& out : unsent) {
    queued_bytes_ -= out.bytes;
    queued_messages_ -= out.ends_message ? 1 : 0;
  }
  for (Outgoing& out : unsent)
    if (out.era == 0 || out.era >= era) queue(std::move(out));
}

bool Link::window_open() const {
  if (in_flight_ == unacknowledged_.size()) return false;
  if (in_flight_ == 0) return true;
  return in_flight_ < window_ && in_flight_bytes_ + unacknowledged_[in_flight_].bytes <= kWindowBytes;
}

Frames Link::dress(Kind kind, NodeId from, NodeId to, std::uint64_t sequence, const Frames& message, std::uint64_t era,
                   Covers covers) {
  const Header header{.kind = kind,
                      .job = self_.job,
                      .process = self_.process,
                      .incarnation = self_.incarnation,
                      .peer_incarnation = peer_incarnation_,
                      .sequence = sequence,
                      .acknowledged = received_,
                      .era = era,
                      .from = from,
                      .to = to};
  Frames frames = with_header(header, message, covers);
  counters_.sent_bytes += size_of(frames);
  return frames;
}

std::optional<Frames> Link::next(Nanoseconds now, Covers covers) {
  if (window_open()) {
    const Outgoing& out = unacknowledged_[in_flight_];
    if (in_flight_ == 0) quiet_since_ = now;
    if (in_flight_ == 0 && out.sequence > highest_sent_) waits_since_ = now;
    ++in_flight_;
    in_flight_bytes_ += out.bytes;
    if (out.sequence <= highest_sent_) ++counters_.resent;
    highest_sent_ = std::max(highest_sent_, out.sequence);
    last_ = Last::data;
    owes_ack_ = owes_bytes_ = 0;
    return dress(out.kind, out.from, out.to, out.sequence, out.message, out.era, covers);
  }
  if (probe_wanted_) {
    probe_wanted_ = false;
    probe_covers_ = in_flight_ == 0 ? 0 : unacknowledged_[in_flight_ - 1].sequence;
    last_ = Last::probe;
    return dress(Kind::probe, self_.process, peer_, 0, encode_message(Probe{++probe_}), 0, covers);
  }
  if (ack_now_) {
    ack_now_ = false;
    owes_ack_ = owes_bytes_ = 0;
    last_ = Last::ack;
    last_answer_ = std::exchange(answer_, 0);
    return dress(Kind::ack, self_.process, peer_, 0, encode_message(Ack{last_answer_}), 0, covers);
  }
  return std::nullopt;
}

void Link::not_taken() {
  if (last_ == Last::data) {
    --in_flight_;
    in_flight_bytes_ -= unacknowledged_[in_flight_].bytes;
  }
  // Not sent yet, then: the same once the transport takes it.
  if (last_ == Last::probe) probe_wanted_ = true;
  if (last_ == Last::ack) {
    ack_now_ = true;
    answer_ = last_answer_;
  }
  last_ = Last::none;
}

void Link::acknowledge(std::uint64_t upto, Nanoseconds now) {
  bool progress = false;
  upto = std::min(upto, highest_sent_);
  while (!unacknowledged_.empty() && unacknowledged_.front().sequence <= upto) {
    if (in_flight_ > 0) {
      in_flight_bytes_ -= unacknowledged_.front().bytes;
      --in_flight_;
    }
    queued_bytes_ -= unacknowledged_.front().bytes;
    queued_messages_ -= unacknowledged_.front().ends_message ? 1 : 0;
    acknowledged_amid_ = !unacknowledged_.front().ends_message;
    unacknowledged_.pop_front();
    window_ = std::min(window_ + 3, kWindowMessages);
    progress = true;
  }
  if (unacknowledged_.empty()) largest_ = 0;
  if (progress) {
    quiet_since_ = waits_since_ = now;
    patience_ = kProbeAfter;
  }
}

Link::Arrived Link::receive(const Header& header, const Frames& body, Nanoseconds now) {
  if (peer_incarnation_ == 0) peer_incarnation_ = header.incarnation;
  const bool for_another = header.peer_incarnation != 0 && header.peer_incarnation != self_.incarnation;
  if (header.incarnation != peer_incarnation_ || for_another) {
    ++counters_.stale;
    return {Arrival::stale, {}, {}};
  }
  last_received_ = now;
  acknowledge(header.acknowledged, now);
  if (header.kind == Kind::ack || header.kind == Kind::probe) return receive_own(header, body);
  if (header.sequence != received_ + 1) {
    ++(header.sequence <= received_ ? counters_.repeated : counters_.ahead);
    ack_now_ = true;  // the peer may lack the acknowledgement
    return {};
  }
  ++received_;
  ++owes_ack_;
  owes_bytes_ += size_of(body);
  if (owes_ack_ >= kOweMost || owes_bytes_ >= kOweBytesMost) ack_now_ = true;
  return deliver(header, body);
}

Link::Arrived Link::receive_own(const Header& header, const Frames& body) {
  const auto own = decode_message(header.kind, body);
  if (!own.ok()) return {Arrival::wrong, {}, own.status()};
  if (const auto* probe = std::get_if<Probe>(&*own)) {
    answer_ = probe->number;
    ack_now_ = true;
  } else if (const auto* ack = std::get_if<Ack>(&*own)) {
    // What was sent before the probe and has not arrived is lost: connections keep order.
    if (ack->answers == probe_ && probe_ != 0 && header.acknowledged < probe_covers_) {
      send_again();
      probe_covers_ = 0;  // a repeated answer says nothing new
    }
    // Nothing was received yet, and no probe is answered: either the first message was lost, or the peer greets this
    // end.  A heartbeat from a process whose own thread is in a hook (kSignOfLife) acknowledges nothing.
    if (ack->answers == 0 && header.acknowledged == 0 && in_flight_ > 0) send_again();
  }
  return {};
}

Link::Arrived Link::deliver(const Header& header, const Frames& body) {
  if (header.kind != Kind::piece) {
    if (!joiner_.amid()) return {Arrival::deliver, {header.kind, header.from, header.to, body, header.era}, {}};
    return {Arrival::wrong, {}, {ExitCode::bug, "a " + std::string(kind_name(header.kind)) + " amid another's pieces"}};
  }
  auto piece = decode_message(Kind::piece, body);
  if (!piece.ok()) return {Arrival::wrong, {}, piece.status()};
  auto whole = joiner_.add(header.from, header.to, std::get<Piece>(*std::move(piece)));
  if (!whole.ok()) return {Arrival::wrong, {}, whole.status()};
  if (!whole->has_value()) return {};
  (*whole)->era = header.era;
  return {Arrival::deliver, **std::move(whole), {}};
}

void Link::send_again() {
  in_flight_ = 0;
  in_flight_bytes_ = 0;
  window_ = std::max<std::size_t>(std::min(window_, 2 * kWindowAfterLoss) / 2, 1);
}

void Link::tick(Nanoseconds now) {
  if (owes_ack_ > 0) ack_now_ = true;
  if (in_flight_ > 0 && now - quiet_since_ >= patience_) {
    if (last_received_ == 0) {
      // A peer that has received nothing from this process does not answer its probes, so send again.
      send_again();
    } else {
      probe_wanted_ = true;
    }
    quiet_since_ = now;
    patience_ = std::min(patience_ * 2, kProbeMost);
  }
}

}  // namespace rota
