// apps/sgd/exchange/replica_push.h -- one shard with its own weights, which are exchanged with others' without the
// store.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "apps/sgd/push.h"
#include "rota/dataflow.h"
#include "rota/exchange/replica_exchange.h"

namespace rota::sgd {

// The dataflows of --exchange; none for --exchange=store.
std::vector<Dataflow> dataflows_of(Exchange exchange, std::uint32_t shards);

// The replica is a whole table of weights.  In the exchange rounds of an epoch, --exchange=allreduce sums the moves of
// the shards' steps, and each replica moves as the store would; any other averages the replicas with those received.
// The epoch's last round, of the store, sets the table to the mean of the replicas, and the next epoch begins with it:
// so a replica is never saved.
class ReplicaPush final : public SgdPush, public ExchangePush {
 public:
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
  std::vector<double> parts_;  // for --exchange=allreduce: the parts of all rows of the table
};

}  // namespace rota::sgd
