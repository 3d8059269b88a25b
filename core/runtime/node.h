// core/runtime/node.h -- the shape of every role: a state machine without sockets, threads, clocks or files.
//
// Equal inputs in equal order give equal outputs, so the same nodes run over ZeroMQ in production (process.cc) and
// inside one seeded thread in tests (tests/sim).
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/wire/message.h"
#include "core/wire/node_id.h"

namespace rota {

class Outbox;

// What is left to do with the result of some work, on the node's own thread, or on another in its place.
using Continuation = std::function<Status(Outbox&)>;
// Long work: runs on a thread of its process' that is not the node's, and must not touch the node.  Its end comes back
// as the continuation that it returns.
using Work = std::function<Continuation()>;

// Work, and what follows from its outcome on the node's thread: `work` returns a Status, a Result or another value.  An
// error ends the job; all else `then` is given, the value too if there is one, and it may return a Status.
template <typename Do, typename Then>
Work followed_by(Do work, Then then) {
  return [work = std::move(work), then = std::move(then)]() mutable -> Continuation {
    return [outcome = std::make_shared<decltype(work())>(work()), then](Outbox& out) mutable -> Status {
      const auto follow = [&](auto&... value) -> Status {
        if constexpr (std::is_void_v<decltype(then(value..., out))>)
          return then(value..., out), Status();
        else
          return then(value..., out);
      };
      if constexpr (std::is_same_v<decltype(work()), Status>)
        return outcome->ok() ? follow() : *outcome;
      else if constexpr (requires { outcome->status(); })
        return outcome->ok() ? follow(**outcome) : outcome->status();
      else
        return follow(*outcome);
    };
  };
}

struct Envelope {
  NodeId from, to;
  Message message;
  std::vector<NodeId> more = {};  // from a node to its host: others that it goes to, encoded once for all
};

// What a process is asked to end with.
struct Ending {
  ExitCode code = ExitCode::ok;
  std::string what;
};

// What a node sends in one step, and what it can see outside itself: the time, and its process' counters.
class Outbox {
 public:
  // What this process has used so far.
  struct Usage {
    Nanoseconds wire = 0;                       // time spent on messages and nodes, not on work
    std::uint64_t memory = 0, peak_memory = 0;  // resident bytes
  };
  struct World {
    Nanoseconds now = 0;
    std::uint64_t bytes_sent = 0;            // by this process to others so far
    std::uint64_t memory = 0;                // peak resident bytes of this process
    std::function<Usage()> usage = nullptr;  // none: nothing is measured, as in tests
  };
  struct Started {
    NodeId node;
    Work work;
    bool io = false;        // it waits for a disk
    bool together = false;  // its completion is handled with those of the next ones
    bool chained = false;   // its completion may run on the finishing thread
    Nanoseconds expected = kUnknown;
  };
  static constexpr Nanoseconds kUnknown = kSecond;  // too long to wait for

  // Bytes that the process of a node has not acknowledged yet; 0 if it is this one.
  using QueuedTo = std::function<std::uint64_t(NodeId)>;

  // `queued_to`: none if nothing ever waits, as in tests.
  Outbox(NodeId self, const World& world, QueuedTo queued_to = nullptr)
      : self_(self), world_(world), queued_to_(std::move(queued_to)) {}

  Nanoseconds now() const { return world_.now; }
  const World& world() const { return world_; }
  // A few system calls: ask once an epoch.
  Usage usage() const { return world_.usage ? world_.usage() : Usage{}; }
  // Bytes on their way to the process of a node, without those of this step.
  std::uint64_t waiting(NodeId to) const { return queued_to_ ? queued_to_(to) : 0; }

  void send(NodeId to, Message message) { sent.push_back({self_, to, std::move(message)}); }
  // To many: encoded once for all of them.
  void send(const std::vector<NodeId>& to, Message message) {
    if (to.empty()) return;
    sent.push_back({self_, to.front(), std::move(message), {to.begin() + 1, to.end()}});
  }
  // Computing (a push, an encoding), on a compute thread.  `expected`, here and below: how long the work will take.  If
  // that is brief it is done at once, on the node's thread.
  void start(Work work, Nanoseconds expected = kUnknown) {
    started.push_back({self_, std::move(work), false, false, false, expected});
  }
  // As start(), for many short ones, each of which makes the next ready: the finishing thread handles the completion at
  // once if it can, instead of waking the node's own.  So the continuation calls no hook of the plugin.
  void start_chained(Work work, Nanoseconds expected = kUnknown) {
    started.push_back({self_, std::move(work), false, false, true, expected});
  }
  // As start(), for several whose completions the node handles together: none is reported while another waits to begin.
  void start_together(Work work, Nanoseconds expected = kUnknown) {
    started.push_back({self_, std::move(work), false, true, false, expected});
  }
  // Files, on the one thread that waits for disks, in this order: computing continues meanwhile.
  void start_io(Work work) { started.push_back({self_, std::move(work), true}); }
  // What no other process waits for (a line of a log, say), on the node's thread when all is sent; in this order.
  void after_sending(std::function<void()> action) { after.push_back(std::move(action)); }
  // The process ends once what it sent has arrived, or after a bounded time.
  void end(ExitCode code, std::string what) {
    ending = {code, std::move(what)};
    ended = true;
  }

  std::vector<Envelope> sent;
  std::vector<Started> started;
  std::vector<std::function<void()>> after;
  Ending ending;
  bool ended = false;

 private:
  NodeId self_;
  const World& world_;
  QueuedTo queued_to_;
};

// How long the next work of a kind will take: an average in which an interruption counts little.
class Expectation {
 public:
  void add(Nanoseconds took) {
    expected_ =
        expected_ == Outbox::kUnknown ? took : expected_ + (std::min(took, 2 * expected_ + 1000) - expected_) / 8;
  }
  Nanoseconds expected() const { return expected_; }

 private:
  Nanoseconds expected_ = Outbox::kUnknown;
};

class Node {
 public:
  virtual ~Node() = default;

  virtual NodeId id() const = 0;
  // Handles one message.  An error means that this job cannot continue, and says why; an error of a peer alone is
  // answered or dropped, not returned.
  virtual Status step(const Envelope& in, Outbox& out) = 0;
  // Lets time pass; called at least twice a second.
  virtual Status tick(Outbox&) { return {}; }
  // Something arrived from a process, if only a repetition: it lives.
  virtual void peer_is_alive(NodeId /*process*/, Nanoseconds /*now*/) {}
  // This process did not run for `span` until `now`: suspended, or busy with something long.  The silence of others
  // meanwhile does not count.
  virtual void was_suspended(Nanoseconds /*span*/, Nanoseconds /*now*/) {}
  // A process was rejected before it could send anything else: of another job, or of another protocol version.
  virtual void peer_refused(const std::string& /*who*/, const std::string& /*why*/) {}
  // The transport lost its connection to a process.  Its messages will be sent again if it comes back.
  virtual Status peer_disconnected(NodeId /*process*/, Outbox&) { return {}; }
};

// ---- giving a message to the handler for its kind

inline Status unexpected(Kind kind, NodeId from) {
  return {ExitCode::bug, std::string("an unexpected ") + kind_name(kind) + " from " + from.name()};
}

// Calls `call(message)` if the message is of one of the kinds in `Handled`, else `otherwise()`: without it any other
// kind is unexpected().  A node lists all that it handles, so that a kind without a handler does not compile, and one
// that was forgotten is seen missing:
//   handle<Welcome, Stop>(in, [&](const auto& message) { return on(message, in.from, out); })
template <typename... Handled, typename Call, typename Otherwise>
Status handle(const Envelope& in, const Call& call, const Otherwise& otherwise) {
  return std::visit(
      [&](const auto& message) -> Status {
        using M = std::remove_cvref_t<decltype(message)>;
        if constexpr ((std::same_as<M, Handled> || ...))
          return call(message);
        else
          return otherwise();
      },
      in.message);
}

template <typename... Handled, typename Call>
Status handle(const Envelope& in, const Call& call) {
  return handle<Handled...>(in, call, [&] { return unexpected(kind_of(in.message), in.from); });
}

}  // namespace rota
