// core/runtime/lost_coordinator.cc -- the part of Host that looks after the coordinator, and calls for one that was
// lost.
#include <algorithm>
#include <utility>

#include "core/runtime/host.h"

namespace rota {

namespace {

// Between two calls for a coordinator that was lost.
constexpr Nanoseconds kCallEvery = kSecond / 2;

}  // namespace

// One that was heard takes its time until all have joined, but is not silent meanwhile.
void Host::look_for_coordinator(Nanoseconds now) {
  const Link& link = peers_.at(kCoordinator).link;
  // One that only asked whether this process lives has not taken it in yet.
  const Nanoseconds heard = joining_ && !link.was_answered() ? 0 : link.heard_at();
  if (heard == 0 && now - joined_at_ >= settings_.start_timeout)
    return end({ExitCode::temporary, "no answer from the coordinator"}, now);
  // Who asked so, and is gone, will not: the HELLO was for it, and another coordinator would not take it.
  const bool asked_and_gone = settings_.rejoin_timeout > 0 && coordinator_broken_ && link.heard_at() > 0;
  if (heard == 0 && calls_since_ == 0 && !asked_and_gone) return;
  const bool silent = now - std::max(heard, awake_since_) >= settings_.peer_timeout;
  if (settings_.rejoin_timeout > 0 && !ending_ && (silent || coordinator_broken_ || calls_since_ != 0)) call_again(now);
  const bool called = calls_since_ != 0 && now - std::max(calls_since_, awake_since_) >= settings_.rejoin_timeout;
  if (settings_.rejoin_timeout > 0 ? called : silent) end({ExitCode::temporary, "the coordinator was lost"}, now);
}

// It may be started anew, at the same place, and does not know this process.  It hears a HELLO; to the one that was
// there all the time it is only a repetition.
void Host::call_again(Nanoseconds now) {
  if (calls_since_ == 0) calls_since_ = now;
  if (called_at_ != 0 && now - called_at_ < kCallEvery) return;
  called_at_ = now;
  Header header;
  header.kind = Kind::hello;
  header.job = settings_.job;
  header.process = header.from = settings_.process;
  header.incarnation = settings_.incarnation;
  header.sequence = 1;
  header.to = kCoordinator;
  call_ = with_header(header, encode_message(hello_));
}

// Behind a broken connection it counts only some time after the first call: what one that is dead had said may still
// come, by a connection of its own.
void Host::heard_coordinator(Nanoseconds now) {
  if (coordinator_broken_ && (calls_since_ == 0 || now - calls_since_ < kCallEvery)) return;
  stop_calling();
}

void Host::stop_calling() {
  coordinator_broken_ = false;
  calls_since_ = called_at_ = 0;
  call_.reset();
}

// Whether this is the first word of a coordinator that was started anew.
bool Host::answers_call(const Header& header) const {
  if (calls_since_ == 0 || header.process != kCoordinator || header.job != settings_.job) return false;
  const PeerState& known = peers_.at(kCoordinator);
  const auto& replaced = known.replaced;
  return header.peer_incarnation == settings_.incarnation && known.link.peer_incarnation() != header.incarnation &&
         std::find(replaced.begin(), replaced.end(), header.incarnation) == replaced.end();
}

// What was said to the one before is void.  The HELLO that was heard is the first message of the new link.
void Host::greet_anew(std::uint64_t coordinator) {
  register_peer({kCoordinator, peers_.at(kCoordinator).endpoint, coordinator});
  joined_at_ = last_tick_;
  stop_calling();
  send({settings_.process, kCoordinator, hello_}, last_tick_);
}

}  // namespace rota
