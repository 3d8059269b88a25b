// apps/pagerank/plugin.cc -- PageRank by power iteration: an epoch is a step, and a step is one open round; or, with
// --exchange=sparse, some exchange rounds.  ranks.h has the formula.
#include "rota/plugin.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "apps/pagerank/ranks.h"
#include "rota/exchange/exchange_schedule.h"
#include "rota/exchange/sparse_allreduce.h"
#include "rota/io/csv_text.h"
#include "rota/io/number_text.h"
#include "rota/io/report_text.h"
#include "rota/packed_app.h"
#include "rota/schedules/sweep.h"
#include "rota/settings.h"

namespace rota::pagerank {
namespace {

struct Settings {
  double damping = 0.85, tolerance = 1e-9;
  bool sparse = false;
  std::uint64_t steps = 10;
  io::EntryForm form = {.expected = "two nodes", .words = true};

  void options(auto& list) {
    list.number("damping", damping, "", 0, 0.999999, "Probability of following an edge, d; else any node is next.");
    list.number("tolerance", tolerance, "", 0, 1,
                "End when an epoch changes the ranks by less, summed over all nodes; 0: after --epochs.");
    list.choice("exchange", sparse, {{"store", false}, {"sparse", true}},
                "How shards receive ranks: all of them from the store, or only those that they need, from each other.");
    list.number("steps", steps, "", 1, 1000000, "Steps of an epoch, which then ends with a round of the store.")
        .needs = {"--exchange=sparse", [](const Options& options) { return options.text("exchange") == "sparse"; }};
    list.all_of(form);
  }
};

constexpr TableId kRanks = 0;  // dense: key v is node v, and its one number the rank

// The sources of the edges, ascending; the edges' `from` become positions among them.
std::vector<Key> numbered_sources(InEdges& edges) {
  std::vector<Key> sources(edges.from.begin(), edges.from.end());
  std::ranges::sort(sources);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  for (std::uint32_t& from : edges.from)
    from = static_cast<std::uint32_t>(std::ranges::lower_bound(sources, from) - sources.begin());
  return sources;
}

// A shard has a range of nodes, with their incoming edges.
//
// With --exchange=store an open round is a step from the ranks of all nodes.  With --exchange=sparse the shard keeps
// the ranks of its own nodes.  In an exchange round it adds the shares r_u / W_u of these and requests those of its
// edges' sources: a key for each node, and one more for D, which all add to and request.  From them it computes the
// next ranks of its nodes.  The last round of an epoch is one of the store, which assigns them to the table, from which
// the next epoch begins: so the state of a shard is never saved.
class RanksPush final : public SharedPush, public ExchangePush {
 public:
  RanksPush(ShardId shard, std::uint32_t shards, bool sparse, InEdges edges, std::shared_ptr<SharedShares> all)
      : sparse_(sparse),
        all_(std::move(all)),
        sources_(sparse ? numbered_sources(edges) : std::vector<Key>()),
        wanted_{all_->damping(), std::vector<double>(sources_.size())},
        edges_(std::move(edges), sparse ? wanted_.numbers : all_->numbers()),
        allreduce_(shard, prime_degrees(shards)) {
    if (!sparse) return;
    steps_ = nested_dataflow(prime_degrees(shards)).steps.size();
    std::vector<Key> adds(edges_.nodes()), wants = sources_;
    std::iota(adds.begin(), adds.end(), Key{edges_.first()});
    adds.push_back(all_->nodes());
    wants.push_back(all_->nodes());
    allreduce_.configure(adds, wants);
  }

  std::uint64_t items() const override { return edges_.edges(); }
  void facts(Facts& facts) const override { facts.largest("nodes", static_cast<double>(all_->nodes())); }
  void attach(const Shape& shape) override { table_ = &shape.views[kRanks]; }
  bool restores_in_place() const override { return !sparse_; }

  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::span<double> next = task.parts.run(edges_.first(), edges_.nodes());
    if (sparse_)
      std::ranges::copy(own_, next.begin());
    else if (evaluated_ == table_->version())
      std::ranges::copy(next_, next.begin());
    else
      edges_.step(shares(), next);
    return sparse_ ? 0 : items();
  }
  // The distance of the ranks from a fixed point: the change of the next step, which the next push reuses.
  void evaluate(Terms terms) const override {
    const Shares& of_all = shares();
    for (std::size_t i = 0; i < sources_.size(); ++i) wanted_.numbers[i] = of_all.numbers[sources_[i]];
    wanted_.everywhere = of_all.everywhere;
    next_.resize(edges_.nodes());
    edges_.step(sparse_ ? wanted_ : shares(), next_);
    evaluated_ = table_->version();
    terms["residual"] += edges_.change(of_all, table_->numbers(), next_);
  }

  std::uint64_t push(const ExchangeTask& task, Random&) override {
    if (task.epoch != of_epoch_) {
      const double start = shares().start;
      own_.resize(edges_.nodes());
      for (std::size_t i = 0; i < own_.size(); ++i) own_[i] = table_->numbers()[edges_.first() + i] + start;
      of_epoch_ = task.epoch;
    }
    std::vector<double> adds(own_.size() + 1);
    for (std::size_t i = 0; i < own_.size(); ++i) {
      const double divisor = all_->divisor(edges_.first() + static_cast<std::uint32_t>(i));
      adds[i] = own_[i] / divisor;
      if (std::isinf(divisor)) adds.back() += own_[i];
    }
    allreduce_.begin(adds);
    return items();
  }
  void scatter(const ExchangeTask&, std::uint32_t step, Outgoing& out) override { allreduce_.scatter(step, out); }
  void gather(const ExchangeTask&, std::uint32_t step, std::span<const Incoming> in) override {
    allreduce_.gather(step, in);
    if (step + 1 < steps_) return;
    std::copy_n(allreduce_.sums().begin(), sources_.size(), wanted_.numbers.begin());
    wanted_.spread(allreduce_.sums().back(), all_->nodes());
    edges_.step(wanted_, own_);
  }

 private:
  Shares& shares() const { return all_->of(table_->version(), table_->numbers()); }

  bool sparse_;
  std::shared_ptr<SharedShares> all_;
  const TableView* table_ = nullptr;
  // Of --exchange=sparse.
  std::vector<Key> sources_;
  mutable Shares wanted_;  // of the sources
  StepEdges edges_;
  std::size_t steps_ = 0;  // of the dataflow
  SparseAllreduce allreduce_;
  Epoch of_epoch_ = 0;
  std::vector<double> own_;  // the ranks of its nodes
  // Of the version that was evaluated last.
  mutable std::vector<double> next_;
  mutable std::optional<std::uint64_t> evaluated_;
};

class Pagerank final : public PackedApp<Graph, InEdges> {
 public:
  explicit Pagerank(const Job& job) : PackedApp(job), settings_(settings_of<Settings>(job.options)) {}

  Loaded read(std::span<const ShardId> hosted) const override { return read_graph(job_, settings_.form, hosted); }
  std::vector<std::unique_ptr<Push>> make_pushes(Loaded loaded, std::span<const ShardId> hosted, Random&) override {
    names_ = std::move(loaded.common.names);
    const auto all = std::make_shared<SharedShares>(std::move(loaded.common.out_weight), settings_.damping);
    std::vector<std::unique_ptr<Push>> pushes;
    for (std::size_t i = 0; i < hosted.size(); ++i)
      pushes.push_back(
          std::make_unique<RanksPush>(hosted[i], job_.shards, settings_.sparse, std::move(loaded.hosted[i]), all));
    return pushes;
  }
  std::vector<Table> tables(const Facts& facts) const override {
    return {{.name = "ranks", .keys = facts.count("nodes"), .row_width = 1, .part_width = 1, .dense = true}};
  }
  std::vector<Dataflow> dataflows(const Facts&) const override {
    if (!settings_.sparse) return {};
    return {nested_dataflow(prime_degrees(job_.shards))};
  }
  std::vector<Term> terms() const override { return {{"residual", Term::Kind::normalised}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    const StopBelow stop{.tolerance = settings_.tolerance};
    if (settings_.sparse)
      return std::make_unique<ExchangeSchedule>(kRanks, ExchangeSchedule::Epochs{.rounds = settings_.steps},
                                                ExchangeSchedule::Argument(), stop);
    return std::make_unique<OpenSchedule>(kRanks, std::vector<double>{}, stop);
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<AssignPull>(); }
  void save_common(Writer& out) const override { out.append(names_.data(), names_.size()); }

 private:
  Settings settings_;
  std::vector<std::byte> names_;  // of the nodes
};

// A committed model: the nodes, in the order of their first occurrence in the input, and their ranks.
struct TrainedModel {
  explicit TrainedModel(const Model& model) : ranks(model.facts().count("nodes")) {
    model.for_each_row(kRanks, [&](Key node, std::span<const double> row) { ranks.at(node) = row[0]; });
    const Bytes common = model.common();
    Reader in(common.view());
    for (std::size_t v = 0; v < ranks.size(); ++v) names.push_back(in.get_text());
    if (!in.done()) throw DataError("the model", 0, "the names of its nodes are damaged");
  }
  std::vector<std::string> names;
  std::vector<double> ranks;
};

struct Shown {
  std::uint32_t top = 20;
  void options(auto& list) {
    list.number("top", top, "nodes", 0, 268435456.0, "Number of nodes shown, the highest ranks first; 0: all.");
  }
};

void show(const Call& call, std::ostream& out) {
  const TrainedModel model(*call.model);
  const std::size_t nodes = model.ranks.size(), top = settings_of<Shown>(call.options).top;
  out << nodes << " nodes, epoch " << call.model->epoch() << "\n\n      rank  node\n";
  for (const std::uint32_t v : io::largest(nodes, top == 0 ? nodes : top, [&](auto i) { return model.ranks[i]; }))
    out << io::right_aligned(io::six_digits(model.ranks[v]), 12) << "  " << model.names[v] << "\n";
}

void export_text(const Model& stored, const std::filesystem::path& folder) {
  const TrainedModel model(stored);
  io::write_text(folder / "README.txt", R"(The PageRank of a graph's nodes as text.

ranks.csv  One node a line, in the order of the nodes' first occurrence in the input: node, rank.  Ranks add up to 1,
           and are written so that reading them gives the same double.  A name with a comma is quoted (RFC 4180).
)");
  io::write_csv(folder / "ranks.csv", "node,rank", [&](auto row) {
    for (std::size_t v = 0; v < model.ranks.size(); ++v) row(model.names[v], model.ranks[v]);
  });
}

Plugin plugin() {
  static const Command commands[] = {{.name = "show",
                                      .summary = "prints the nodes of the highest ranks",
                                      .options = declared_options<Shown>(),
                                      .run = show}};
  return plugin_of<Pagerank>({.name = "pagerank",
                              .summary = "PageRank of a graph's nodes, by power iteration",
                              .items = "edges",
                              .options = declared_options<Settings>(),
                              .epochs = 1000,
                              .packed_format = 2,
                              .packed_options = io::kEntryOptions,
                              .framework_needs = kSynchronous,
                              .export_text = export_text,
                              .commands = commands});
}

}  // namespace
}  // namespace rota::pagerank

ROTA_PLUGIN(rota::pagerank::plugin);
