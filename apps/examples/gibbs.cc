// apps/examples/gibbs.cc -- Gibbs sampling of a Bayesian network of categories, from data with missing values.
//
// Source: Zhao, "High performance machine learning through codesign and rooflining" (BIDMach), Berkeley 2014, chapter
// 5.  Nodes of which no two are in one family (a node and its parents) have the same colour: given all others they are
// independent, and change in one round.  The shards draw their missing values and count the configurations of their
// families; the pull draws their distributions from the Dirichlet posteriors.
//
// Input: CSV with a header; an empty field or NA is missing.  --network has lines "NODE PARENT ...", a
// node's before those of its children.
#include <rota/io/categories_app.h>
#include <rota/io/csv_text.h>
#include <rota/numerics/gamma.h>
#include <rota/numerics/weighted_draw.h>
#include <rota/plugin.h>
#include <rota/schedules/colours.h>

#include <ostream>

namespace {
using namespace rota;
using io::CategoryRow;

struct Settings {
  std::string network;
  double prior = 1;
  Epoch burn_in = 20;
  void options(auto& list) {
    list.path("network", network, "The network: lines NODE PARENT ...");
    list.number("prior", prior, "", 1e-9, 1e9, "The parameter of the Dirichlet priors, of each value.");
    list.number("burn_in", burn_in, "epochs", 0, 1e9, "Epochs whose draws are not counted.");
  }
};

// Made from the facts, because not every process has the files.
struct Network {
  Network() = default;
  explicit Network(const Facts& facts) : of(facts.numbers("values").size()) {
    for (const double count : facts.numbers("values")) values.push_back(static_cast<std::uint32_t>(count));
    for (std::size_t n = 0; n < values.size(); ++n) {
      const std::span<const double> family = facts.numbers("family " + std::to_string(n));
      families.emplace_back(family.begin(), family.end());
      double rows = 1;
      for (const std::size_t member : families[n]) {
        of[member].push_back(n);
        if (member != n) rows *= values[member];
      }
      if (rows > 1e7) throw UsageError("--network: the parents of a node have more than 10^7 configurations");
      first.push_back(node_of.size());
      node_of.resize(node_of.size() + static_cast<std::size_t>(rows), n);
    }
    colours = greedy_colours(families.size(), families);
    for (const std::size_t node : node_of) row_colours.push_back(colours[node]);
  }
  Key row(std::size_t node, const CategoryRow& its) const {
    Key row = 0;
    for (const std::size_t member : families[node])
      if (member != node) row = row * values[member] + its[member];
    return first[node] + row;
  }

  std::vector<std::uint32_t> values;               // how many a node has
  std::vector<std::vector<std::size_t>> families;  // of a node: it and its parents
  std::vector<std::vector<std::size_t>> of;        // the families that a node is in
  std::vector<Key> first;            // row of the table of a node, which has one for each configuration of its parents
  std::vector<std::size_t> node_of;  // of a row
  std::vector<std::size_t> colours, row_colours;  // of the nodes, and of their rows
};

struct Blank {
  std::uint64_t of_case, node;  // the case's number in its shard
  std::uint32_t value;
  std::vector<std::uint32_t> votes;  // of each value: the epochs after --burn_in in which it was drawn
  void fields(auto& list) { list(of_case, node, value, votes); }
};

class CasesPush final : public ItemsPush<CategoryRow, Settings> {
 public:
  using ItemsPush::ItemsPush;
  void attach(const Shape& shape) override {
    ItemsPush::attach(shape);
    network_ = Network(shape.facts);
    for (std::size_t c = 0; c < items_.size(); ++c)
      for (std::size_t n = 0; n < items_[c].size(); ++n)
        if (items_[c][n] == io::kMissing) blanks_.push_back({c, n, 0, CategoryRow(network_.values[n])});
  }
  std::uint64_t push(const SharedTask& task, Random& random) override {
    const auto colour = task.argument.as<std::size_t>();
    for (const Blank& blank : blanks_) items_[blank.of_case][blank.node] = blank.value;
    for (Blank& blank : blanks_) {
      if (network_.colours[blank.node] != colour) continue;
      blank.value = draw(blank.node, items_[blank.of_case], random);
      if (task.epoch > settings_.burn_in) ++blank.votes[blank.value];
    }
    for (std::size_t n = 0; n < network_.values.size(); ++n)
      if (network_.colours[n] == colour)
        for (const CategoryRow& its : items_) task.parts[network_.row(n, its)][its[n]] += 1;
    return colour == 0 ? items_.size() : 0;
  }
  void evaluate(Terms terms) const override {
    for (const CategoryRow& its : items_)
      for (std::size_t n = 0; n < its.size(); ++n)
        terms["minus_log_likelihood"] -= logarithm(std::max(probability(n, its), 1e-300));
  }
  void state(Archive& list) override {
    list(blanks_);
    for (const auto& [of_case, node, value, votes] : blanks_)
      list.check(of_case < items_.size() && node < network_.values.size() && value < network_.values[node] &&
                 votes.size() == network_.values[node]);
  }

 private:
  double probability(std::size_t n, const CategoryRow& its) const { return table_.row(network_.row(n, its))[its[n]]; }
  // From the node's distribution given all others.
  std::uint32_t draw(std::size_t node, CategoryRow& its, Random& random) const {
    WeightedDraw weights(network_.values[node]);
    for (its[node] = 0; its[node] < weights.keys(); ++its[node]) {
      double product = 1;
      for (const std::size_t family : network_.of[node]) product *= probability(family, its);
      weights.set(its[node], product);
    }
    const bool known = weights.total() > 0;  // in the first epoch there are rows of zeros
    its[node] = static_cast<std::uint32_t>(known ? weights.draw(random.uniform()) : random.below(weights.keys()));
    return its[node];
  }

  Network network_;
  std::vector<Blank> blanks_;
};

class Gibbs final : public io::CategoriesApp<CasesPush> {
 public:
  using CategoriesApp::CategoriesApp;
  // The fact "family n" is node n and its parents.
  void look_at(const io::Categories& names, Facts& facts) const override {
    if (settings_.network.empty()) throw UsageError("--network=FILE is missing");
    std::size_t n = 0;
    for (const std::vector<std::size_t>& family : io::read_families(settings_.network, names.columns))
      facts.add("family " + std::to_string(n++), std::vector<double>(family.begin(), family.end()));
  }
  Table table(const Facts& facts) const override {
    const Network network(facts);
    const std::uint32_t width = *std::max_element(network.values.begin(), network.values.end());
    return {.name = "probabilities", .keys = network.node_of.size(), .row_width = width};
  }
  std::vector<Term> terms() const override { return {{"minus_log_likelihood", Term::Kind::objective}}; }
  std::unique_ptr<Schedule> schedule(const Facts& facts, Share) const override {
    return std::make_unique<ColourSchedule>(0, Network(facts).row_colours);
  }
  std::unique_ptr<Pull> pull(const Facts& facts) const override {
    return row_pull([network = Network(facts), prior = settings_.prior](const PullEntry& row, Random& random) {
      const std::span<double> its = row.value.first(network.values[network.node_of[row.key]]);
      for (std::size_t v = 0; v < its.size(); ++v) its[v] = row.sum[v] + prior;
      draw_dirichlet(its, random);
    });
  }
};

void impute(const Call& call, std::ostream& out) {
  const auto names = read_fields<io::Categories>(call.model->common());
  const std::uint32_t shards = call.model->job().shards;
  out << "row,column,value,votes\n";
  for (ShardId shard = 0; shard < shards; ++shard)
    for (const auto& [of_case, node, value, votes] : read_fields<std::vector<Blank>>(call.model->shard(shard))) {
      const auto best = static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
      out << of_case * shards + shard + 1 << ',' << io::csv_field(names.columns[node]) << ','
          << io::csv_field(names.values[node][best]) << ',' << votes[best] << '\n';
    }
}
constexpr Command kCommands[] = {{"impute", "The most frequent value of each that is missing, as CSV.", {}, impute}};

}  // namespace

ROTA_APP(Gibbs, .name = "gibbs", .summary = "Gibbs sampling of a Bayesian network with missing values.",
         .items = "cases", .epochs = 200, .framework_needs = kSynchronous, .commands = kCommands);
