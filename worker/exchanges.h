// worker/exchanges.h -- the exchange rounds that a hosted shard is in: what has come for it, what it is to gather next,
// and each of its turns.  rota/push.h says what a shard is shown and when.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/job/tables.h"
#include "core/wire/message.h"
#include "rota/exchange/exchange_push.h"
#include "rota/round.h"
#include "worker/shard_steps.h"
#include "worker/worker_state.h"

namespace rota {

class ShardExchanges {
 public:
  // How far a dataflow of one step may lag behind.
  struct Lag {
    std::uint32_t staleness = 0;  // rounds
    bool asynchronous = false;    // whatever has come
  };
  // Messages that are to be gathered now, in the order of their senders.
  struct Due {
    Task task;
    std::uint32_t step = 0;
    std::vector<Incoming> messages = {};
    std::optional<std::uint32_t> next = {};  // the step after it, whose messages are then to be sent
  };

  // `routes` outlives it.
  ShardExchanges(ShardId shard, Lag lag, const std::vector<Routes>& routes)
      : shard_(shard), lag_(lag), routes_(&routes) {}

  // A message for this shard, maybe of a round that it has not begun.  False if it cannot be: the shard does not send
  // there, or has sent it before.
  bool arrive(const Scattered& message);

  // Whether a step may begin: all rounds before it are gathered that are to be.
  bool may_begin(const ShardSteps::Step& next) const;
  // Whether something is to be gathered before anything else, given what the shard is to do next.
  bool has_due(const ShardSteps& steps) const { return !open_.empty() && comes_first(steps); }
  // REQUIRES has_due().
  Due take_due();
  // In an asynchronous run, before the push of a round: the newest message that has come from each sender, and was not
  // gathered.
  std::optional<Due> take_newest(const Task& task);
  // The push of a round, or what was taken, is done, and the messages of this step of the round are on their way.
  void sent(const Task& task, std::uint32_t step) { open_.push_back({task, step}); }
  // All that was begun is gathered.
  bool settled() const { return open_.empty(); }
  // Of the round that comes first; REQUIRES !settled().
  RoundId first_round() const { return open_.front().task.round; }

 private:
  struct Open {  // sent, and not gathered
    Task task;
    std::uint32_t step;
  };

  const Routes& routes(std::uint32_t dataflow) const { return (*routes_)[dataflow]; }
  bool lags(std::uint32_t dataflow) const {
    return (lag_.staleness > 0 || lag_.asynchronous) && routes(dataflow).steps() == 1;
  }
  bool lags(const ShardSteps::Step& step) const {
    return step.what == ShardSteps::Step::What::exchange && lags(*step.task.dataflow);
  }
  bool all_here(const Open& open) const;
  // Whether what is open is to be gathered now.  REQUIRES !settled().
  bool comes_first(const ShardSteps& steps) const;

  ShardId shard_;
  Lag lag_;
  const std::vector<Routes>* routes_;
  std::deque<Open> open_;  // in the order of rounds; more than one only if they lag
  std::map<std::pair<RoundId, std::uint32_t>, std::map<ShardId, Bytes>> here_;
  // Of an asynchronous run's rounds that lag, in place of that: the newest of each sender, no message if it was taken,
  // and how many have come of a round.
  struct Newest {
    RoundId round = 0;
    std::optional<Bytes> bytes;
  };
  std::map<ShardId, Newest> newest_;
  std::map<RoundId, std::size_t> come_;
};

// One turn of a shard in an exchange: what it gathers, its push, and the messages that follow.
struct ExchangeWork {
  // What it is to do.
  std::optional<ShardExchanges::Due> gather = {};  // first
  std::optional<Task> push = {};                   // then: the first step of this round follows

  // What it makes: a message for each of the receivers of a step.
  struct Sent {
    Task task;
    std::uint32_t step = 0;
    std::vector<Bytes> messages = {};
  };
  std::optional<Sent> sent = {};
  std::uint64_t items = 0;

  // Called on a compute thread.
  Status run(const WorkerState& state, ShardId shard);

 private:
  Status send(const WorkerState& state, ShardId shard, const Task& task, std::uint32_t step);
};

}  // namespace rota
