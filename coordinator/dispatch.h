// coordinator/dispatch.h -- makes one sequence of the schedulers' rounds, and turns them into tasks for workers,
// handovers of slices, and what partitions are to expect.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/rounds/shard_hosts.h"
#include "core/runtime/node.h"
#include "core/wire/message.h"

namespace rota {

// One sequence of rounds of the schedulers' own: one round from each in turn.  A scheduler that has ended its epoch is
// passed over until all have; so the sequence depends on what the schedulers chose and not on which was fast.
class Turns {
 public:
  explicit Turns(std::uint32_t schedulers) : lanes_(schedulers) {}

  // Where every scheduler's own count of rounds begins.
  void begin(RoundId first) {
    for (Lane& lane : lanes_) lane.next_in = lane.next_out = first;
  }
  // A scheduler's next rounds.  False if they do not follow those it sent before.
  bool add(std::uint32_t scheduler, const Rounds& rounds);

  struct Turn {
    Round round;  // ends_epoch and ends_job: as seen over all schedulers
    std::uint32_t scheduler = 0;
    RoundId own = 0;                   // its number by the scheduler's count
    std::optional<Feedback> feedback;  // what the scheduler wants to receive of its commit
  };
  // The next round, if the scheduler whose turn it is has sent it.
  std::optional<Turn> take();

 private:
  struct Waiting {
    Round round;
    std::optional<Feedback> feedback;
  };
  struct Lane {
    std::deque<Waiting> waiting;
    RoundId next_in = 1, next_out = 1;
    bool ended = false;  // its epoch
  };

  std::vector<Lane> lanes_;
  std::size_t at_ = 0;
  std::optional<bool> ends_job_;  // as those say that have ended the epoch
};

// Tracks which shard holds which slice after every round that was given out.  So the worker that holds it can get
// its next destination while it still computes, and slices move from worker to worker without a request.
class Dispatch {
 public:
  Dispatch(ShardHosts hosts, std::uint32_t shards, std::uint32_t slices, std::uint32_t partitions,
           std::vector<Table> tables);

  // Queues a round; refuses one that breaks the rules, which is the schedule's fault.
  Status add(RoundId id, Turns::Turn turn, Epoch epoch);

  struct Waiting {
    RoundId id;
    Epoch epoch;
    Turns::Turn turn;
  };
  // The round to be given out next, if there is one.
  const Waiting* front() const { return waiting_.empty() ? nullptr : &waiting_.front(); }
  // Gives it out, into the messages that are being collected.
  void give_out();
  // Gives out, of an evaluation, tasks that bring every slice to every shard.
  void give_out_visits(Epoch epoch);
  // What was collected, by worker and by partition (one EXPECT for each round there).
  std::map<std::uint32_t, Tasks> take_tasks() { return std::exchange(tasks_, {}); }
  std::vector<std::pair<std::uint32_t, Expect>> take_expects() { return std::exchange(expects_, {}); }
  void send(Outbox& out) {
    for (auto& [partition, expect] : take_expects()) out.send({Role::partition, partition}, std::move(expect));
    for (auto& [worker, tasks] : take_tasks()) out.send({Role::worker, worker}, std::move(tasks));
  }

 private:
  struct Holder {
    RoundId round = 0;
    ShardId shard = 0;
    std::uint32_t visits = 0;  // in the epoch that is being given out
  };

  // The slice moves on to a task of this shard.
  void hand_over(SliceId slice, RoundId round, ShardId shard);

  ShardHosts hosts_;
  std::uint32_t shards_, partitions_;
  std::vector<Table> tables_;
  std::vector<Holder> holder_;  // by slice
  RoundId evaluating_rounds_ = 0;
  std::deque<Waiting> waiting_;
  std::map<std::uint32_t, Tasks> tasks_;
  std::vector<std::pair<std::uint32_t, Expect>> expects_;
};

}  // namespace rota
