// apps/pagerank/exchange_push.h -- one shard of --exchange=sparse: it keeps the ranks of its own nodes, and receives
// from the others only what its edges need.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "apps/pagerank/ranks.h"
#include "apps/pagerank/settings.h"
#include "rota/exchange/sparse_allreduce.h"
#include "rota/push.h"

namespace rota::pagerank {

// The edges of a shard with local numbers: `from` are positions among their source nodes.
struct OwnEdges {
  std::vector<Key> sources;  // ascending
  InEdges edges;
};
OwnEdges own_edges(const InEdges& edges);

// In an exchange round each shard adds the shares r_u / W_u of its own nodes and requests those of its edges' sources:
// a key for each node, and one more for D, which all add to and request (ranks.h).  From these it computes the next
// ranks of its nodes.  The last round of an epoch is one of the store, which assigns them to the table, from which the
// next epoch begins: so the state of a shard is never saved.
class ExchangedPush final : public SharedPush, public ExchangePush {
 public:
  ExchangedPush(ShardId shard, std::uint32_t shards, const InEdges& edges, double damping,
                std::shared_ptr<SharedShares> all);

  std::uint64_t items() const override { return own_.edges(); }
  void facts(Facts& facts) const override { facts.largest("nodes", static_cast<double>(all_->nodes())); }
  void attach(const Shape& shape) override { table_ = &shape.views[kRanks]; }

  std::uint64_t push(const ExchangeTask& task, Random& random) override;
  void scatter(const ExchangeTask& task, std::uint32_t step, Outgoing& out) override;
  void gather(const ExchangeTask& task, std::uint32_t step, std::span<const Incoming> in) override;
  std::uint64_t push(const SharedTask& task, Random& random) override;
  // As with --exchange=store: the change that one more step would make.
  void evaluate(Terms terms) const override;

 private:
  ExchangedPush(ShardId shard, std::uint32_t shards, OwnEdges own, double damping, std::shared_ptr<SharedShares> all);

  double damping_;
  std::uint32_t last_step_;
  std::shared_ptr<SharedShares> all_;
  std::vector<Key> sources_;
  mutable Shares wanted_;  // of the sources
  StepEdges own_;
  SparseAllreduce allreduce_;
  const TableView* table_ = nullptr;
  Epoch of_epoch_ = 0;
  std::vector<double> ranks_;  // of its nodes
};

}  // namespace rota::pagerank
