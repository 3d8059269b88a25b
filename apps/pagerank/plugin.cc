// apps/pagerank/plugin.cc -- PageRank by power iteration: an epoch is a step, and a step is one open round; or, with
// --exchange=sparse, some exchange rounds.  ranks.h has the formula.
#include "rota/plugin.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "apps/pagerank/commands/commands.h"
#include "apps/pagerank/commands/export.h"
#include "apps/pagerank/exchange_push.h"
#include "apps/pagerank/graph.h"
#include "apps/pagerank/packed_graph.h"
#include "apps/pagerank/ranks.h"
#include "apps/pagerank/settings.h"
#include "rota/exchange/exchange_schedule.h"
#include "rota/schedules/sweep.h"

namespace rota::pagerank {
namespace {

// A shard has a range of nodes, with their incoming edges.
class PagerankPush final : public SharedPush {
 public:
  PagerankPush(const InEdges& edges, double damping, std::shared_ptr<SharedShares> all)
      : edges_(edges, all->numbers()), damping_(damping), all_(std::move(all)) {}

  std::uint64_t items() const override { return edges_.edges(); }
  void facts(Facts& facts) const override { facts.largest("nodes", static_cast<double>(all_->nodes())); }
  void attach(const Shape& shape) override { ranks_ = &shape.views[kRanks]; }

  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::span<double> next = task.parts.run(edges_.first(), edges_.nodes());
    if (evaluated_ == ranks_->version())
      std::copy(next_.begin(), next_.end(), next.begin());
    else
      edges_.step(shares(), damping_, next);
    return items();
  }
  // The distance of the ranks from a fixed point: the change of the next step, which the next push reuses.
  void evaluate(Terms terms) const override {
    next_.resize(edges_.nodes());
    edges_.step(shares(), damping_, next_);
    evaluated_ = ranks_->version();
    terms[0] += l1_change(edges_.first(), shares(), ranks_->numbers(), next_);
  }
  bool restores_in_place() const override { return true; }

 private:
  Shares& shares() const { return all_->of(ranks_->version(), ranks_->numbers()); }

  StepEdges edges_;
  double damping_;
  std::shared_ptr<SharedShares> all_;
  const TableView* ranks_ = nullptr;
  mutable std::vector<double> next_;                // of the version that was evaluated last
  mutable std::optional<std::uint64_t> evaluated_;  // that version
};

class Pagerank final : public App {
 public:
  explicit Pagerank(const Job& job)
      : job_(job),
        damping_(job.options.real("damping")),
        tolerance_(job.options.real("tolerance")),
        sparse_(job.options.text("exchange") == "sparse") {}

  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    Graph graph = job_.packed == nullptr ? read_graph(job_.input, job_.shards, hosted)
                                         : unpack_graph(*job_.packed, job_.shards, hosted);
    names_ = graph.names;
    const auto all = std::make_shared<SharedShares>(graph.out_weight, damping_);
    std::vector<std::unique_ptr<Push>> out;
    for (std::size_t i = 0; i < hosted.size(); ++i) {
      InEdges& edges = graph.hosted[i];
      if (sparse_)
        out.push_back(std::make_unique<ExchangedPush>(hosted[i], job_.shards, edges, damping_, all));
      else
        out.push_back(std::make_unique<PagerankPush>(edges, damping_, all));
      edges = {};  // copied into its new layout: frees the memory at once
    }
    return out;
  }
  void pack(DataPacker& out) override {
    std::vector<ShardId> all(job_.shards);
    std::iota(all.begin(), all.end(), ShardId{0});
    pack_graph(read_graph(job_.input, job_.shards, all), out);
  }
  std::vector<Table> tables(const Facts& facts) const override {
    return {{.name = "ranks", .keys = facts.count("nodes"), .row_width = 1, .part_width = 1, .dense = true}};
  }
  std::vector<Dataflow> dataflows(const Facts&) const override {
    if (!sparse_) return {};
    return {nested_dataflow(prime_degrees(job_.shards))};
  }
  std::vector<Term> terms() const override { return {{"residual", Term::Kind::normalised}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    const StopBelow stop{.tolerance = tolerance_};
    const auto steps = static_cast<std::uint64_t>(job_.options.integer("steps"));
    if (sparse_)
      return std::make_unique<ExchangeSchedule>(kRanks, ExchangeSchedule::Epochs{.rounds = steps},
                                                ExchangeSchedule::Argument(), stop);
    return std::make_unique<OpenSchedule>(kRanks, std::vector<double>{}, stop);
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<AssignPull>(); }
  void save_common(Writer& out) const override { out.append(names_.view().data(), names_.size()); }

 private:
  const Job& job_;
  double damping_, tolerance_;
  bool sparse_;  // --exchange=sparse
  Bytes names_;  // of the nodes
};

Plugin plugin() {
  return {.name = "pagerank",
          .summary = "PageRank of a graph's nodes, by power iteration",
          .items = "edges",
          .options = options(),
          .epochs = 1000,
          .packed_format = 1,
          .framework_needs = kSynchronous,
          .app = [](const Job& job) { return std::unique_ptr<App>(new Pagerank(job)); },
          .export_text = export_text,
          .commands = commands()};
}

}  // namespace
}  // namespace rota::pagerank

ROTA_PLUGIN(rota::pagerank::plugin);
