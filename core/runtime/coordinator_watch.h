// core/runtime/coordinator_watch.h -- how a process stands with its coordinator: the HELLO to join it, its welcome or
// refusal, beats, and calls for one that was lost.
#pragma once
#include <optional>

#include "core/runtime/router.h"

namespace rota {

class CoordinatorWatch {
 public:
  // `settings` and `router` outlive it.
  CoordinatorWatch(const HostSettings& settings, Router& router) : settings_(settings), router_(router) {}

  // This process joins the coordinator of the router, with this HELLO.
  void join(const Hello& hello, Nanoseconds now) {
    state_ = State::joins;
    hello_ = hello;
    joined_at_ = now;
  }
  const Hello& hello() const { return hello_; }
  // This process begins the era of a WELCOME, if it is new to it.
  bool accepts(const Welcome& welcome);
  // It joins or asks: a refusal then ends it.
  bool waits() const { return state_ == State::joins || settings_.process.role == Role::observer; }
  // A REFUSE for this very start, whatever it has received before from any coordinator.
  bool is_dismissal(const Header& header) const {
    return header.kind == Kind::refuse && header.process == kCoordinator && state_ != State::apart &&
           header.peer_incarnation == settings_.incarnation;
  }
  // This process itself was not running for `span` until `now`.
  void was_suspended(Nanoseconds span, Nanoseconds now) {
    awake_since_ = now;
    if (state_ == State::joins) joined_at_ += span;
  }
  // A beat if one is due, without what nodes do.
  std::optional<Beat> next_beat(Nanoseconds now);

  void disconnected() { broken_ = true; }
  // Something arrived from the coordinator on its link.
  void received(Nanoseconds now);
  bool reachable() const {
    const auto* coordinator = router_.find(kCoordinator);
    return coordinator != nullptr && coordinator->link.last_received() > 0 && !broken_;
  }
  // Whether this is the first message of a coordinator that was started again.
  bool answers_call(const Header& header) const;
  // Messages to the previous coordinator are void: its successor has to get this process' HELLO.
  void reconnect(std::uint64_t coordinator, Nanoseconds now);
  // Why this process has to end, if it does.  Calls a coordinator that was lost.
  std::optional<Ending> check(bool ending, Nanoseconds now);
  // A call to send, outside of the link.
  std::optional<Transmission> next_call();

 private:
  void call(Nanoseconds now);
  void stop_calling() {
    broken_ = false;
    calls_since_ = called_at_ = 0;
    call_.reset();
  }

  const HostSettings& settings_;
  Router& router_;
  enum class State { apart, joins, member } state_ = State::apart;
  Hello hello_;
  Nanoseconds joined_at_ = 0;
  Nanoseconds last_beat_ = 0;
  Nanoseconds awake_since_ = 0;  // the end of the last time that this process did not run
  bool broken_ = false;          // the connection broke, and nothing was received since
  Nanoseconds calls_since_ = 0;  // when the coordinator was lost; 0: it is there
  Nanoseconds called_at_ = 0;
  std::optional<Frames> call_;
};

}  // namespace rota
