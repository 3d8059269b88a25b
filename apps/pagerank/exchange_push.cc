#include "apps/pagerank/exchange_push.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rota/dataflow.h"

namespace rota::pagerank {

OwnEdges own_edges(const InEdges& edges) {
  OwnEdges own{{edges.from.begin(), edges.from.end()}, edges};
  std::sort(own.sources.begin(), own.sources.end());
  own.sources.erase(std::unique(own.sources.begin(), own.sources.end()), own.sources.end());
  for (std::uint32_t& from : own.edges.from)
    from = static_cast<std::uint32_t>(std::lower_bound(own.sources.begin(), own.sources.end(), Key{from}) -
                                      own.sources.begin());
  return own;
}

ExchangedPush::ExchangedPush(ShardId shard, std::uint32_t shards, const InEdges& edges, double damping,
                             std::shared_ptr<SharedShares> all)
    : ExchangedPush(shard, shards, own_edges(edges), damping, std::move(all)) {}

ExchangedPush::ExchangedPush(ShardId shard, std::uint32_t shards, OwnEdges own, double damping,
                             std::shared_ptr<SharedShares> all)
    : damping_(damping),
      last_step_(static_cast<std::uint32_t>(nested_dataflow(prime_degrees(shards)).steps.size()) - 1),
      all_(std::move(all)),
      sources_(std::move(own.sources)),
      wanted_{std::vector<double>(sources_.size())},
      own_(own.edges, wanted_.numbers),
      allreduce_(shard, prime_degrees(shards)) {
  const Key dangling = all_->nodes();
  std::vector<Key> adds(own_.nodes());
  std::iota(adds.begin(), adds.end(), Key{own_.first()});
  adds.push_back(dangling);
  std::vector<Key> wants = sources_;
  wants.push_back(dangling);
  allreduce_.configure(adds, wants);
}

std::uint64_t ExchangedPush::push(const ExchangeTask& task, Random&) {
  if (task.epoch != of_epoch_) {
    const double start = all_->of(table_->version(), table_->numbers()).start;
    ranks_.resize(own_.nodes());
    for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i] = table_->numbers()[own_.first() + i] + start;
    of_epoch_ = task.epoch;
  }
  std::vector<double> adds(ranks_.size() + 1);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const double divisor = all_->divisor(own_.first() + static_cast<std::uint32_t>(i));
    adds[i] = ranks_[i] / divisor;
    if (std::isinf(divisor)) adds.back() += ranks_[i];
  }
  allreduce_.begin(adds);
  return items();
}

void ExchangedPush::scatter(const ExchangeTask&, std::uint32_t step, Outgoing& out) {
  allreduce_.scatter(step, out);
}

void ExchangedPush::gather(const ExchangeTask&, std::uint32_t step, std::span<const Incoming> in) {
  allreduce_.gather(step, in);
  if (step < last_step_) return;
  const auto nodes = static_cast<double>(all_->nodes());
  std::copy_n(allreduce_.sums().begin(), sources_.size(), wanted_.numbers.begin());
  wanted_.everywhere = (1 - damping_) / nodes + damping_ * allreduce_.sums().back() / nodes;
  own_.step(wanted_, damping_, ranks_);
}

std::uint64_t ExchangedPush::push(const SharedTask& task, Random&) {
  const std::span<double> next = task.parts.run(own_.first(), own_.nodes());
  std::copy(ranks_.begin(), ranks_.end(), next.begin());
  return 0;
}

void ExchangedPush::evaluate(Terms terms) const {
  const Shares& shares = all_->of(table_->version(), table_->numbers());
  for (std::size_t i = 0; i < sources_.size(); ++i) wanted_.numbers[i] = shares.numbers[sources_[i]];
  wanted_.everywhere = shares.everywhere;
  std::vector<double> next(own_.nodes());
  own_.step(wanted_, damping_, next);
  terms[0] += l1_change(own_.first(), shares, table_->numbers(), next);
}

}  // namespace rota::pagerank
