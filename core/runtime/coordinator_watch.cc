#include "core/runtime/coordinator_watch.h"

#include <algorithm>
#include <utility>

namespace rota {

constexpr Nanoseconds kBeatEvery = kSecond;
// Between two calls for a coordinator that was lost.
constexpr Nanoseconds kCallEvery = kSecond / 2;

bool CoordinatorWatch::accepts(const Welcome& welcome) {
  if (state_ == State::apart || (state_ == State::member && welcome.era <= router_.era())) return false;
  state_ = State::member;
  return true;
}

std::optional<Beat> CoordinatorWatch::next_beat(Nanoseconds now) {
  if (state_ == State::apart) return std::nullopt;
  const Link& link = router_.find(kCoordinator)->link;
  const bool taken_in = state_ == State::member || (link.last_received() > 0 && link.was_answered());
  if (!taken_in || now - last_beat_ < std::min(kBeatEvery, settings_.peer_timeout / 4)) return std::nullopt;
  last_beat_ = now;
  Beat beat;
  beat.era = router_.era();
  router_.report_deaf(beat, now, awake_since_);
  return beat;
}

// One that has answered may wait long until all have joined, but is not silent meanwhile.
std::optional<Ending> CoordinatorWatch::check(bool ending, Nanoseconds now) {
  if (state_ == State::apart) return std::nullopt;
  const Link& link = router_.find(kCoordinator)->link;
  // One that only asked whether this process lives has not taken it in yet.
  const Nanoseconds last = state_ == State::joins && !link.was_answered() ? 0 : link.last_received();
  if (last == 0 && now - joined_at_ >= settings_.start_timeout)
    return Ending{ExitCode::temporary, "no answer from the coordinator"};
  const bool awaited = settings_.rejoin_timeout > 0;
  // If it is gone after that probe, call again: the HELLO was for it, and another coordinator would not take it.
  const bool asked_and_gone = awaited && broken_ && link.last_received() > 0;
  if (last == 0 && calls_since_ == 0 && !asked_and_gone) return std::nullopt;
  const bool silent = now - std::max(last, awake_since_) >= settings_.peer_timeout;
  if (awaited && !ending && (silent || broken_ || calls_since_ != 0)) call(now);
  const bool called = calls_since_ != 0 && now - std::max(calls_since_, awake_since_) >= settings_.rejoin_timeout;
  if (awaited ? called : silent) return Ending{ExitCode::temporary, "the coordinator was lost"};
  return std::nullopt;
}

// It may be started again, at the same place, and has no record of this process.  It gets a HELLO; to the one that was
// there all the time it is only a repetition.
void CoordinatorWatch::call(Nanoseconds now) {
  if (calls_since_ == 0) calls_since_ = now;
  if (called_at_ != 0 && now - called_at_ < kCallEvery) return;
  called_at_ = now;
  const Header header{.kind = Kind::hello,
                      .job = settings_.job,
                      .process = settings_.process,
                      .incarnation = settings_.incarnation,
                      .sequence = 1,
                      .from = settings_.process,
                      .to = kCoordinator};
  call_ = with_header(header, encode_message(hello_));
}

std::optional<Transmission> CoordinatorWatch::next_call() {
  if (!call_) return std::nullopt;
  return Transmission{kCoordinator, router_.find(kCoordinator)->endpoint, *std::exchange(call_, std::nullopt)};
}

// After a broken connection it counts only some time after the first call: messages of a dead coordinator may still
// arrive, on a connection of their own.
void CoordinatorWatch::received(Nanoseconds now) {
  if (broken_ && (calls_since_ == 0 || now - calls_since_ < kCallEvery)) return;
  stop_calling();
}

bool CoordinatorWatch::answers_call(const Header& header) const {
  if (calls_since_ == 0 || header.process != kCoordinator || header.job != settings_.job) return false;
  const Router::PeerState& known = *router_.find(kCoordinator);
  return header.peer_incarnation == settings_.incarnation && known.link.peer_incarnation() != header.incarnation &&
         !known.was_replaced(header.incarnation);
}

void CoordinatorWatch::reconnect(std::uint64_t coordinator, Nanoseconds now) {
  router_.register_peer({kCoordinator, router_.find(kCoordinator)->endpoint, coordinator});
  joined_at_ = now;
  stop_calling();
}

}  // namespace rota
