// worker/shard_steps.h -- what one hosted shard has to do, in order.
#pragma once
#include <deque>
#include <utility>

#include "core/wire/message.h"

namespace rota {

class ShardSteps {
 public:
  // A task with a slice and shared rows is two steps; an epoch's end is one of its own.
  struct Step {
    enum class What { slice, shared, exchange, epoch_end } what;
    Task task;
  };

  void add(const Task& task) {
    if (task.slice) steps_.push_back({Step::What::slice, task});
    if (task.shared) steps_.push_back({Step::What::shared, task});
    if (task.dataflow) steps_.push_back({Step::What::exchange, task});
    if (task.ends_epoch) steps_.push_back({Step::What::epoch_end, task});
  }
  bool empty() const { return steps_.empty(); }
  const Step& front() const { return steps_.front(); }
  bool next_is(Step::What what) const { return !steps_.empty() && steps_.front().what == what; }
  Step take() {
    Step step = std::move(steps_.front());
    steps_.pop_front();
    return step;
  }

 private:
  std::deque<Step> steps_;
};

}  // namespace rota
