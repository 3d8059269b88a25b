#include "worker/shard_steps.h"

#include <algorithm>
#include <utility>

namespace rota {

void ShardSteps::add(const Task& task) {
  if (task.slice) steps_.push_back({Step::What::slice, task});
  if (task.shared) steps_.push_back({Step::What::shared, task});
  if (task.dataflow) steps_.push_back({Step::What::exchange, task});
  if (task.ends_epoch) steps_.push_back({Step::What::epoch_end, task});
}

ShardSteps::Step ShardSteps::take() {
  Step step = std::move(steps_.front());
  steps_.pop_front();
  return step;
}

void ShardSteps::pushed_shared(Epoch epoch) {
  ++pushed_;
  epoch_ = epoch;
}

std::uint64_t ShardSteps::due(std::uint64_t staleness) const {
  return at_epoch_end() ? pushed_ : pushed_ - std::min(pushed_, staleness);
}

std::uint64_t ShardSteps::due_asynchronous(std::uint64_t come) const {
  return at_epoch_end() ? pushed_ : std::min(pushed_, come);
}

}  // namespace rota
