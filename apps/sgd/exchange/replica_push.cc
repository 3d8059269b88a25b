#include "apps/sgd/exchange/replica_push.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "apps/sgd/pull.h"
#include "apps/sgd/push.h"
#include "apps/sgd/tables.h"
#include "rota/exchange/replica_exchange.h"

namespace rota::sgd {
namespace {

std::unique_ptr<const ReplicaExchange> exchange_of(Exchange exchange, std::uint32_t shards) {
  if (exchange == Exchange::allreduce) return std::make_unique<NestedSum>(prime_degrees(shards));
  return std::make_unique<Averaging>();
}

// The replica is a whole table of weights.  In the exchange rounds of an epoch, --exchange=allreduce sums the moves of
// the shards' steps, and each replica moves as the store would; any other averages the replicas with those received.
// The epoch's last round, of the store, sets the table to the mean of the replicas, and the next epoch begins with it:
// so a replica is never saved.
class ReplicaPush final : public SgdPush, public ExchangePush {
 public:
  ReplicaPush(ShardId shard, std::uint32_t shards, std::shared_ptr<const SharedData> all, const ShardRows& training,
              ShardRows held_out, std::unique_ptr<linear::RowStream> stream)
      : SgdPush(shard, std::move(all), training, std::move(held_out), std::move(stream)),
        last_step_(static_cast<std::uint32_t>(dataflows_of(all_->settings.exchange, shards)[0].steps.size()) - 1),
        exchange_(exchange_of(all_->settings.exchange, shards)) {}

  std::uint64_t push(const ExchangeTask& task, Random& random) override {
    if (task.epoch != of_epoch_) replica_.assign(weights_.numbers().begin(), weights_.numbers().end());
    of_epoch_ = task.epoch;
    const std::uint64_t rows = take_steps(task.epoch, task.argument, replica_, random);
    if (sums()) {
      const std::size_t width = replica_.size() / weights_.keys() + 1;
      parts_.assign(weights_.keys() * width, 0.0);
      for (const std::uint32_t key : pass().touched())
        make_part(key, replica_, std::span(parts_).subspan(key * width, width));
      return rows;
    }
    for (const std::uint32_t key : pass().touched()) {
      const std::span<const double> state = pass().state(key);
      std::copy(state.begin(), state.end(), replica_.begin() + static_cast<std::ptrdiff_t>(key * state.size()));
    }
    return rows;
  }

  void scatter(const ExchangeTask&, std::uint32_t step, Outgoing& out) override {
    exchange_->scatter(shard_, sums() ? parts_ : replica_, step, out);
  }
  void gather(const ExchangeTask& task, std::uint32_t step, std::span<const Incoming> in) override {
    exchange_->gather(shard_, sums() ? parts_ : replica_, step, in);
    if (sums() && step == last_step_) move_by_sums(task.argument[kSeenAfter]);
  }
  // An allreduce makes all replicas equal, so one shard reports them.
  std::uint64_t push(const SharedTask& task, Random&) override {
    if (sums() && shard_ != 0) return 0;
    const std::span<double> parts = task.parts.run(0, weights_.keys());
    const std::span<const double> before = weights_.numbers();
    const std::size_t width = replica_.size() / weights_.keys();
    for (std::size_t key = 0; key < weights_.keys(); ++key) {
      double* const part = parts.data() + key * (width + 1);
      for (std::size_t i = 0; i < width; ++i) part[i] = replica_[key * width + i] - before[key * width + i];
      put_scale(static_cast<std::uint32_t>(key), std::span(part, width + 1));
      part[width] = 1;
    }
    return 0;
  }

 private:
  bool sums() const { return all_->settings.exchange == Exchange::allreduce; }
  void move_by_sums(double seen_behind) {
    const RowMove move(all_->settings, all_->outputs());
    const std::size_t width = replica_.size() / weights_.keys();
    for (std::size_t key = 0; key < weights_.keys(); ++key) {
      const std::span<const double> sum = std::span(parts_).subspan(key * (width + 1), width + 1);
      if (sum.back() > 0) move(key, std::span(replica_).subspan(key * width, width), sum, seen_behind);
    }
  }

  std::uint32_t last_step_;
  std::unique_ptr<const ReplicaExchange> exchange_;
  Epoch of_epoch_ = 0;
  std::vector<double> replica_;
  std::vector<double> parts_;  // for --exchange=allreduce: the parts of all rows of the table
};

}  // namespace

std::vector<Dataflow> dataflows_of(Exchange exchange, std::uint32_t shards) {
  std::vector<Dataflow> flows;
  switch (exchange) {
    case Exchange::store:
      break;
    case Exchange::allreduce:
      flows.push_back(nested_dataflow(prime_degrees(shards)));
      break;
    case Exchange::butterfly:
      for (std::uint32_t t = 0; t < mixing_rounds(shards); ++t) flows.push_back(mixing_dataflow(shards, t));
      break;
    case Exchange::alltoall:
      flows.push_back(all_dataflow(shards));
      break;
    case Exchange::halton:
      flows.push_back(halton_dataflow(shards));
      break;
  }
  return flows;
}

std::unique_ptr<Push> replica_push(ShardId shard, std::uint32_t shards, std::shared_ptr<const SharedData> all,
                                   const ShardRows& training, ShardRows held_out,
                                   std::unique_ptr<linear::RowStream> stream) {
  return std::make_unique<ReplicaPush>(shard, shards, std::move(all), training, std::move(held_out), std::move(stream));
}

}  // namespace rota::sgd
