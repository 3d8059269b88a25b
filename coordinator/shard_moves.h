// coordinator/shard_moves.h -- when and how shards move to other workers: because workers join or leave, or are slow.
#pragma once
#include <cstdint>
#include <optional>
#include <set>

#include "coordinator/balance.h"
#include "coordinator/plan.h"
#include "coordinator/workforce.h"
#include "core/records/records.h"
#include "core/runtime/node.h"

namespace rota {

class ShardMoves {
 public:
  // All outlive this.
  ShardMoves(const RunPlan& plan, Recorder& recorder, Workforce& workforce)
      : plan_(plan), recorder_(recorder), workforce_(workforce) {}

  // A new era: shards are where they were to be.
  void begin_era();
  // While rounds are computed: weighs the workers by the newest epoch, and if shards are to be hosted in another way,
  // tells their future hosts to read what they will need.
  void plan(const EpochRecord& newest, Outbox& out);
  // Another start of a worker has not read what that one was told to.
  void give_up(NodeId worker);
  // A worker has read.  True if that was the last one: shards can move at the end of an epoch.
  bool has_read(const HasRead& read, std::uint32_t worker);

 private:
  struct Move {
    std::uint64_t number = 0;
    ShardHosts hosts;                 // in the next era
    std::set<std::uint32_t> reading;  // workers that have not read what they need for it
  };

  void weigh(const EpochRecord& newest);

  const RunPlan& plan_;
  Recorder& recorder_;
  Workforce& workforce_;
  Balance balance_;
  Epoch weighed_ = 0;  // the newest epoch that is weighed
  std::optional<Move> move_;
  std::uint64_t moves_ = 0;
};

}  // namespace rota
