// apps/pagerank/plugin.cc -- PageRank by power iteration: an epoch is some steps, and a step is one open round; or,
// with --exchange=sparse, some exchange rounds.  power_iteration.h has a step.
#include "rota/plugin.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>

#include "apps/pagerank/graph.h"
#include "apps/pagerank/power_iteration.h"
#include "rota/exchange/exchange_schedule.h"
#include "rota/exchange/sparse_allreduce.h"
#include "rota/io/csv_text.h"
#include "rota/io/input_size.h"
#include "rota/io/number_text.h"
#include "rota/io/report_text.h"

namespace rota::pagerank {
namespace {

struct Settings {
  double damping = 0.85, tolerance = 1e-9;
  bool sparse = false;
  std::uint64_t steps = 0;
  io::EntryForm form = {.expected = "two nodes", .words = true};

  void options(auto& list) {
    list.number("damping", damping, "", 0, 0.999999, "Probability of following an edge, d; else any node is next.");
    list.number("tolerance", tolerance, "", 0, 1,
                "End when an epoch changes the ranks by less, summed over all nodes; 0: after --epochs.");
    list.choice("exchange", sparse, {{"store", false}, {"sparse", true}},
                "How shards receive ranks: all of them from the store, or only those that they need, from each other.");
    list.number("steps", steps, "", 0, 1000000, "Steps of an epoch; 0: 1, and 10 with --exchange=sparse.");
    list.all_of(form);
  }
};

constexpr TableId kRanks = 0;  // dense: key v is node v, and its one number the rank

// The sum of absolute differences.  Eight sums side by side: a single one would wait for each addition.
double distance(std::span<const double> a, std::span<const double> b) {
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= a.size(); i += sums.size())
    for (std::size_t l = 0; l < sums.size(); ++l) sums[l] += std::abs(a[i + l] - b[i + l]);
  for (; i < a.size(); ++i) sums[0] += std::abs(a[i] - b[i]);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

// A shard has a range of nodes, with their incoming edges.  An open round is a step from the ranks of all nodes.
class RanksPush : public SharedPush {
 public:
  RanksPush(ShardId, InEdges edges, std::shared_ptr<PowerIteration> all, const std::vector<double>& out_weight)
      : first_(edges.first), nodes_(edges.sizes.size()), all_(std::move(all)) {
    if (!all_->shares_all()) {
      sources_.assign(edges.from.begin(), edges.from.end());
      std::ranges::sort(sources_);
      sources_.erase(std::unique(sources_.begin(), sources_.end()), sources_.end());
      for (std::uint32_t& from : edges.from)
        from = static_cast<std::uint32_t>(std::ranges::lower_bound(sources_, from) - sources_.begin());
      for (const Key source : sources_) divisors_.push_back(divisor_of(out_weight[source]));
      wanted_.numbers.resize(sources_.size());
    }
    edges_ = EdgeTiles(edges);
  }

  std::uint64_t items() const override { return edges_.edges(); }
  void attach(const Shape& shape) override { ranks_ = shape.views[kRanks]; }
  bool restores_in_place() const override { return true; }

  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::span<double> next = task.parts.run(first_, nodes_);
    if (evaluated_ == ranks_.version())
      std::ranges::copy(next_, next.begin());
    else
      all_->step(edges_, shares(), next);
    return items();
  }
  // The distance of the ranks from a fixed point: the change of the next step, which the next push reuses.
  void evaluate(Terms terms) const override {
    next_.assign(nodes_, 0);
    all_->step(edges_, shares(), next_);
    evaluated_ = ranks_.version();
    terms["residual"] += distance(next_, own_ranks());
  }

 protected:
  std::span<const double> own_ranks() const { return ranks_.numbers().subspan(first_, nodes_); }

  std::uint32_t first_;  // of its nodes
  std::size_t nodes_;
  EdgeTiles edges_;
  std::shared_ptr<PowerIteration> all_;
  TableView ranks_;
  // Unless PowerIteration has the shares of all nodes:
  std::vector<Key> sources_;      // of the edges, ascending; the edges' `from` are positions in it
  std::vector<double> divisors_;  // of the sources
  mutable Shares wanted_;         // and their shares

 private:
  // Of the committed ranks, as the edges number their sources.
  const Shares& shares() const {
    if (all_->shares_all()) return all_->shares(ranks_.version(), ranks_.numbers());
    for (std::size_t i = 0; i < sources_.size(); ++i) wanted_.numbers[i] = ranks_.numbers()[sources_[i]] / divisors_[i];
    wanted_.dangling = all_->dangling(ranks_.version(), ranks_.numbers());
    return wanted_;
  }

  // Of the version that was evaluated last.
  mutable std::vector<double> next_;
  mutable std::optional<std::uint64_t> evaluated_;
};

// With --exchange=sparse the shard keeps the ranks of its own nodes.  In an exchange round it adds the shares r_u / W_u
// of these and requests those of its edges' sources: a key for each node, and one more for D, which all add to and
// request.  From them it computes the next ranks of its nodes.  The last round of an epoch is one of the store, which
// assigns them to the table, from which the next epoch begins: so the state of a shard is never saved.
class SparsePush final : public RanksPush, public ExchangePush {
 public:
  SparsePush(ShardId shard, InEdges edges, const std::shared_ptr<PowerIteration>& all,
             const std::vector<double>& out_weight, std::uint32_t shards)
      : RanksPush(shard, std::move(edges), all, out_weight),
        steps_(nested_dataflow(prime_degrees(shards)).steps.size()),
        allreduce_(shard, prime_degrees(shards)) {
    for (const double weight : std::span(out_weight).subspan(first_, nodes_))
      own_divisors_.push_back(divisor_of(weight));
    std::vector<Key> adds(nodes_), wants = sources_;
    std::iota(adds.begin(), adds.end(), Key{first_});
    adds.push_back(all_->nodes());
    wants.push_back(all_->nodes());
    allreduce_.configure(adds, wants);
  }

  bool restores_in_place() const override { return false; }
  std::uint64_t push(const ExchangeTask& task, Random&) override {
    if (std::exchange(epoch_, task.epoch) != task.epoch) own_.assign(own_ranks().begin(), own_ranks().end());
    std::vector<double> adds(own_.size() + 1);
    for (std::size_t i = 0; i < own_.size(); ++i) {
      adds[i] = own_[i] / own_divisors_[i];
      if (std::isinf(own_divisors_[i])) adds.back() += own_[i];
    }
    allreduce_.begin(adds);
    return items();
  }
  void scatter(const ExchangeTask&, std::uint32_t step, Outgoing& out) override { allreduce_.scatter(step, out); }
  void gather(const ExchangeTask&, std::uint32_t step, std::span<const Incoming> in) override {
    allreduce_.gather(step, in);
    if (step + 1 < steps_) return;
    std::copy_n(allreduce_.sums().begin(), sources_.size(), wanted_.numbers.begin());
    wanted_.dangling = allreduce_.sums().back();
    std::ranges::fill(own_, 0.0);
    all_->step(edges_, wanted_, own_);
  }
  std::uint64_t push(const SharedTask& task, Random&) override {
    std::ranges::copy(own_, task.parts.run(first_, own_.size()).begin());
    return 0;
  }

 private:
  std::size_t steps_;  // of the dataflow
  SparseAllreduce allreduce_;
  Epoch epoch_ = 0;
  std::vector<double> own_, own_divisors_;  // the ranks of its nodes, and their divisors
};

class Pagerank final : public PackedApp<Graph, InEdges> {
 public:
  using Settings = pagerank::Settings;
  explicit Pagerank(const Job& job) : PackedApp(job), settings_(settings_of<Settings>(job.options)) {}

  Loaded read(std::span<const ShardId> hosted) const override { return read_graph(job_, settings_.form, hosted); }
  std::vector<std::unique_ptr<Push>> make_pushes(Loaded loaded, std::span<const ShardId> hosted, Random&) override {
    const std::vector<double>& weights = loaded.common.out_weight;
    nodes_ = weights.size();
    std::uint64_t edges = 0;
    for (const InEdges& one : loaded.hosted) edges += one.items();
    const bool shares_all = !settings_.sparse && edges >= nodes_;
    const auto all = std::make_shared<PowerIteration>(weights, settings_.damping, shares_all);
    if (std::ranges::find(hosted, ShardId{0}) != hosted.end()) names_ = std::move(loaded.common.names);
    if (settings_.sparse) return pushes_of<SparsePush>(loaded, hosted, all, weights, job_.shards);
    return pushes_of<RanksPush>(loaded, hosted, all, weights);
  }
  void facts(Facts& facts) const override { facts.largest("nodes", static_cast<double>(nodes_)); }
  std::vector<Table> tables(const Facts& facts) const override {
    return {{.name = "ranks",
             .keys = facts.count("nodes"),
             .row_width = 1,
             .part_width = 1,
             .dense = true,
             .started = true}};
  }
  void start_row(const Facts& facts, TableId, Key, std::span<double> rank, Random&) const override {
    rank[0] = 1 / facts.number("nodes");
  }
  std::vector<Dataflow> dataflows(const Facts&) const override {
    if (!settings_.sparse) return {};
    return {nested_dataflow(prime_degrees(job_.shards))};
  }
  std::vector<Term> terms() const override { return {{"residual", Term::Kind::normalised}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    const StopBelow stop{.tolerance = settings_.tolerance};
    const std::uint64_t steps = settings_.steps > 0 ? settings_.steps : settings_.sparse ? 10 : 1;
    if (!settings_.sparse) return std::make_unique<OpenSchedule>(kRanks, Argument(), stop, steps);
    return std::make_unique<ExchangeSchedule>(kRanks, ExchangeSchedule::Epochs{.rounds = steps},
                                              ExchangeSchedule::Argument(), stop);
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<AssignPull>(); }
  void save_common(Writer& out) const override { write_fields(out, names_); }

 private:
  Settings settings_;
  std::uint64_t nodes_ = 0;
  std::vector<std::string> names_;  // of the nodes; where shard 0 is, which saves them
};

// ---- a committed model

std::vector<std::string> names_of(const Model& model) {
  return read_fields<std::vector<std::string>>(model.common());
}
std::vector<double> ranks_of(const Model& model) {
  std::vector<double> ranks(model.facts().count("nodes"));
  model.for_each_row(kRanks, [&](Key node, std::span<const double> row) { ranks.at(node) = row[0]; });
  return ranks;
}

struct Shown {
  std::uint32_t top = 20;
  void options(auto& list) {
    list.number("top", top, "nodes", 0, 268435456.0, "Number of nodes shown, the highest ranks first; 0: all.");
  }
};

void show(const Call& call, std::ostream& out) {
  const std::vector<std::string> names = names_of(*call.model);
  const std::vector<double> ranks = ranks_of(*call.model);
  const std::size_t nodes = ranks.size(), top = settings_of<Shown>(call.options).top;
  out << nodes << " nodes, epoch " << call.model->epoch() << "\n\n      rank  node\n";
  for (const std::uint32_t v : io::largest(nodes, top == 0 ? nodes : top, [&](auto i) { return ranks[i]; }))
    out << io::right_aligned(io::six_digits(ranks[v]), 12) << "  " << names.at(v) << "\n";
}

void export_text(const Model& model, const std::filesystem::path& folder) {
  io::write_text(folder / "README.txt", R"(The PageRank of a graph's nodes as text.

ranks.csv      One node a line, in the order of the nodes' first occurrence in the input: node, rank.  Ranks add up to
               1, and are written so that reading them gives the same double.  A name with a comma is quoted (RFC 4180).
top_ranks.csv  The 1,000 nodes of the highest ranks, the highest first.
)");
  constexpr std::size_t kTop = 1000;
  const std::vector<std::string> names = names_of(model);
  const std::vector<double> ranks = ranks_of(model);
  io::write_csv(folder / "ranks.csv", "node,rank", [&](auto row) {
    for (std::size_t v = 0; v < ranks.size(); ++v) row(names.at(v), ranks[v]);
  });
  io::write_csv(folder / "top_ranks.csv", "node,rank", [&](auto row) {
    for (const std::uint32_t v : io::largest(ranks.size(), kTop, [&](auto i) { return ranks[i]; }))
      row(names.at(v), ranks[v]);
  });
}

// A step on a small graph takes less time than to share it among many.  But with --exchange=sparse there is one shard
// for each machine, say, and the ranks depend on their number.
ChosenShards choose_shards(const Job& job) {
  if (settings_of<Settings>(job.options).sparse) return {};
  return io::few_shards_below(16 << 20, kUsualShards / 4, job);
}

const Command kCommands[] = {{"show", "prints the nodes of the highest ranks", declared_options<Shown>(), show}};

}  // namespace
}  // namespace rota::pagerank

using rota::pagerank::Pagerank;
ROTA_APP(Pagerank, .name = "pagerank", .summary = "PageRank of a graph's nodes, by power iteration", .items = "edges",
         .epochs = 1000, .packed_format = 5, .packed_options = rota::io::kEntryOptions,
         .framework_needs = rota::kSynchronous, .choose_shards = rota::pagerank::choose_shards,
         .export_text = rota::pagerank::export_text, .commands = rota::pagerank::kCommands);
