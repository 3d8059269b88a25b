#include "coordinator/shard_moves.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rota {

void ShardMoves::begin_era() {
  move_.reset();
  balance_.clear();
}

// A worker that is slow for long gets fewer shards.
void ShardMoves::weigh(const EpochRecord& newest) {
  if (!plan_.rebalance || newest.epoch == std::exchange(weighed_, newest.epoch)) return;
  std::vector<std::uint32_t> workers = plan_.hosts.workers();
  std::sort(workers.begin(), workers.end());
  std::map<std::uint32_t, double> seconds;
  for (std::size_t i = 0; i < workers.size() && newest.workers.size() == workers.size(); ++i)
    seconds[workers[i]] = newest.workers[i].compute_seconds;
  auto speeds = balance_.add(seconds, plan_.hosts);
  if (!speeds) return;
  recorder_.event("slow", {{"role", newest.slowest}});
  workforce_.weigh(*std::move(speeds));
}

void ShardMoves::plan(const EpochRecord& newest, Outbox& out) {
  weigh(newest);
  if (!workforce_.changes() || (move_ && move_->hosts == workforce_.next())) return;
  move_ = Move{++moves_, workforce_.next(), {}};
  recorder_.event("moving", {{"workers", std::to_string(move_->hosts.size())}});
  for (const std::uint32_t worker : move_->hosts.workers()) {
    move_->reading.insert(worker);
    out.send({Role::worker, worker}, ReadAhead{move_->number, move_->hosts.ranges()});
  }
}

void ShardMoves::give_up(NodeId worker) {
  if (move_ && move_->hosts.of(worker.index).size() > 0) move_.reset();
}

bool ShardMoves::has_read(const HasRead& read, std::uint32_t worker) {
  if (!move_ || read.number != move_->number) return false;  // of a plan that was given up
  move_->reading.erase(worker);
  return move_->reading.empty();
}

}  // namespace rota
