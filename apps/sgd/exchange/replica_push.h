// apps/sgd/exchange/replica_push.h -- one shard with weights of its own, that come together with others' past the
// store.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "apps/sgd/push.h"
#include "rota/dataflow.h"
#include "rota/replica_exchange.h"

namespace rota::sgd {

// The dataflows of --exchange; none of --exchange=store.
std::vector<Dataflow> dataflows_of(Exchange exchange, std::uint32_t shards);

// The replica is a whole table of weights.  In the exchange rounds of an epoch, --exchange=allreduce sums what the
// shards' steps came to, and each replica moves by what the store would move; any other averages the replicas with
// those that come.  The epoch's last round, of the store, makes the table the mean of the replicas, and the next
// epoch begins with it: so a replica is never saved.
class ReplicaPush final : public SgdPush {
 public:
  using SgdPush::push;
  ReplicaPush(ShardId shard, std::uint32_t shards, std::shared_ptr<const SharedData> all, const ShardRows& training,
              ShardRows held_out, std::unique_ptr<linear::RowStream> stream);

  std::uint64_t push(const ExchangeTask& task, Random& random) override;
  void scatter(const ExchangeTask& task, std::uint32_t step, Outgoing& out) override;
  void gather(const ExchangeTask& task, std::uint32_t step, std::span<const Incoming> in) override;
  std::uint64_t push(const SharedTask& task, Random& random) override;

 private:
  bool sums() const { return all_->settings.exchange == Exchange::allreduce; }
  void move_by_sums(double seen_behind);

  std::uint32_t last_step_;
  std::unique_ptr<const ReplicaExchange> exchange_;
  Epoch of_epoch_ = 0;
  std::vector<double> replica_;
  std::vector<double> parts_;  // of --exchange=allreduce: as the parts of all rows of the table
};

}  // namespace rota::sgd
