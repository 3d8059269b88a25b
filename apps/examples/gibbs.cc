// apps/examples/gibbs.cc -- Gibbs sampling of a Bayesian network of categories, from data with missing values.
//
// Source: Zhao, "High performance machine learning through codesign and rooflining" (BIDMach), Berkeley 2014, chapter
// 5.  Nodes of which no two are in one family (a node and its parents) have the same colour: given all others they are
// independent, and change in one round.  The shards draw their missing values and count the configurations of their
// families; the pull draws their distributions from the Dirichlet posteriors.
//
// Input: CSV with a header, without quotes; an empty field or NA is missing.  --network has lines "NODE PARENT ...", a
// node's before those of its children.
#include <rota/io/category_rows.h>
#include <rota/numerics/gamma.h>
#include <rota/numerics/portable_math.h>
#include <rota/numerics/weighted_draw.h>
#include <rota/plugin.h>
#include <rota/schedules/colours.h>

#include <ostream>
#include <set>

namespace {
using namespace rota;
using io::CategoryRow;

// Made from the facts, because not every process has the files.
struct Network {
  explicit Network(const Facts& facts) : families(facts.numbers("values").size()), of(families.size()), first(1) {
    for (const double count : facts.numbers("values")) values.push_back(static_cast<std::uint32_t>(count));
    for (std::size_t n = 0; n < values.size(); ++n) {
      double rows = 1;
      for (const double number : facts.numbers("family " + std::to_string(n))) {
        const auto member = static_cast<std::size_t>(number);
        families[n].push_back(member);
        of[member].push_back(n);
        if (member != n) rows *= values[member];
      }
      if (rows > 1e7) throw UsageError("--network: the parents of a node have more than 10^7 configurations");
      first.push_back(first.back() + static_cast<Key>(rows));
      node_of.resize(first.back(), n);
    }
    colours = greedy_colours(families.size(), families);
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
  std::vector<std::size_t> colours;  // of the nodes
};

struct Blank {
  std::uint64_t of_case, node;  // the case's number in its shard
  std::uint32_t value;
  std::vector<std::uint32_t> votes;  // of each value: the epochs after --burn_in in which it was drawn
  void fields(auto& list) { list(of_case, node, value, votes); }
};

class CasesPush final : public SavesFields<SharedPush, CasesPush> {
 public:
  CasesPush(std::vector<CategoryRow> cases, const Facts& found, const Job& job)
      : cases_(std::move(cases)), found_(found), network_(found), burn_in_(job.options.integer("burn_in")) {
    for (std::size_t c = 0; c < cases_.size(); ++c)
      for (std::size_t n = 0; n < cases_[c].size(); ++n)
        if (cases_[c][n] == io::kMissing) {
          blanks_.push_back({c, n, 0, CategoryRow(network_.values[n])});
          cases_[c][n] = 0;  // until the first draw
        }
  }
  std::uint64_t items() const override { return cases_.size(); }
  void facts(Facts& facts) const override { facts = found_; }
  void attach(const Shape& shape) override { table_ = shape.views[0]; }

  std::uint64_t push(const SharedTask& task, Random& random) override {
    const auto colour = static_cast<std::size_t>(task.argument[0]);
    for (Blank& blank : blanks_) {
      if (network_.colours[blank.node] != colour) continue;
      draw(blank.node, cases_[blank.of_case], random);
      blank.value = cases_[blank.of_case][blank.node];
      if (task.epoch > burn_in_) ++blank.votes[blank.value];
    }
    std::size_t entry = 0;  // of the first row of a node
    for (std::size_t n = 0; n < network_.values.size(); ++n) {
      if (network_.colours[n] != colour) continue;
      const Key first = network_.first[n];
      for (const CategoryRow& its : cases_) task.entries[entry + network_.row(n, its) - first].part[its[n]] += 1;
      entry += network_.first[n + 1] - first;
    }
    return colour == 0 ? cases_.size() : 0;
  }
  void evaluate(Terms terms) const override {
    for (const CategoryRow& its : cases_)
      for (std::size_t n = 0; n < its.size(); ++n) terms[0] -= logarithm(std::max(probability(n, its), 1e-300));
  }
  void fields(auto& list) { list(blanks_); }
  void restore(Reader& in) override {
    SavesFields::restore(in);
    for (const auto& [of_case, node, value, votes] : blanks_)
      if (of_case >= cases_.size() || node >= network_.values.size() || value >= network_.values[node] ||
          votes.size() != network_.values[node])
        in.fail();
      else
        cases_[of_case][node] = value;
  }

 private:
  double probability(std::size_t n, const CategoryRow& its) const { return table_.row(network_.row(n, its))[its[n]]; }
  // From the node's distribution given all others.
  void draw(std::size_t node, CategoryRow& its, Random& random) const {
    WeightedDraw weights(network_.values[node]);
    for (its[node] = 0; its[node] < weights.keys(); ++its[node]) {
      double product = 1;
      for (const std::size_t family : network_.of[node]) product *= probability(family, its);
      weights.set(its[node], product);
    }
    const bool known = weights.total() > 0;  // in the first epoch there are rows of zeros
    its[node] = static_cast<std::uint32_t>(known ? weights.draw(random.uniform()) : random.below(weights.keys()));
  }

  std::vector<CategoryRow> cases_;
  Facts found_;
  Network network_;
  std::int64_t burn_in_;
  std::vector<Blank> blanks_;
  TableView table_;
};

class DirichletPull final : public Pull {
 public:
  DirichletPull(const Facts& facts, double prior) : network_(facts), prior_(prior) {}
  void pull(const PullTask& task) override {
    for (const auto [key, counts, row] : task.entries) {
      const std::span<double> its = row.first(network_.values[network_.node_of[key]]);
      for (std::size_t v = 0; v < its.size(); ++v) its[v] = counts[v] + prior_;
      Random random = task.random(key);
      draw_dirichlet(its, random);
    }
  }

 private:
  Network network_;
  double prior_;
};

class Gibbs final : public App {
 public:
  explicit Gibbs(const Job& job) : job_(job) {
    if (!job.options.has("network")) throw UsageError("--network=FILE is missing");
  }
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    auto cases = io::deal_category_rows(job_.input, job_.shards, hosted, names_);
    std::vector<double> values;
    for (const auto& its : names_.values) values.push_back(static_cast<double>(its.size()));
    Facts found;
    found.largest("values", values);
    read_network(found);
    return make_pushes<CasesPush>(cases, found, job_);
  }
  std::vector<Table> tables(const Facts& facts) const override {
    const Network network(facts);
    const std::uint32_t width = *std::max_element(network.values.begin(), network.values.end());
    const Key keys = network.first.back();
    return {{.name = "probabilities", .keys = keys, .row_width = width, .part_width = width, .dense = true}};
  }
  std::vector<Term> terms() const override { return {{"minus_log_likelihood", Term::Kind::objective}}; }
  std::unique_ptr<Schedule> schedule(const Facts& facts, Share) const override {
    const Network network(facts);
    std::vector<std::size_t> colours;  // of the rows
    for (const std::size_t node : network.node_of) colours.push_back(network.colours[node]);
    return std::make_unique<ColourSchedule>(0, colours);
  }
  std::unique_ptr<Pull> pull(const Facts& facts) const override {
    return std::make_unique<DirichletPull>(facts, job_.options.real("prior"));
  }
  void save_common(Writer& out) const override { write_fields(out, names_); }

 private:
  // The fact "family n" is node n and its parents.
  void read_network(Facts& found) const {
    std::vector<std::set<std::size_t>> families(names_.columns.size());
    std::set<std::size_t> named;
    io::Lines lines{std::string(job_.options.text("network"))};
    for (std::string_view line; lines.next(line);) {
      std::vector<std::size_t> nodes;
      for (std::string_view field; !(field = io::next_field(line)).empty();) {
        nodes.push_back(io::place_of(names_.columns, field));
        if (nodes.back() == families.size()) lines.fail("no column is named " + io::quoted(field));
      }
      if (nodes.empty() || named.contains(nodes[0])) lines.fail("expected a node not named before, and its parents");
      named.insert(nodes.begin(), nodes.end());
      families[nodes[0]].insert(nodes.begin(), nodes.end());
    }
    for (std::size_t n = 0; n < families.size(); ++n) {
      families[n].insert(n);
      found.largest("family " + std::to_string(n), std::vector<double>(families[n].begin(), families[n].end()));
    }
  }

  const Job& job_;
  io::Categories names_;
};

void impute(const Call& call, std::ostream& out) {
  const auto names = read_fields<io::Categories>(call.model->common());
  const std::uint32_t shards = call.model->job().shards;
  out << "row,column,value,votes\n";
  for (ShardId shard = 0; shard < shards; ++shard)
    for (const auto& [of_case, node, value, votes] : read_fields<std::vector<Blank>>(call.model->shard(shard))) {
      const auto best = static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
      out << of_case * shards + shard + 1 << ',' << names.columns[node] << ',' << names.values[node][best] << ','
          << votes[best] << '\n';
    }
}
constexpr Command kCommands[] = {{"impute", "The most frequent value of each that is missing, as CSV.", {}, impute}};

constexpr Option kOptions[] = {
    {.name = "network", .kind = Option::Kind::path, .meaning = "The network: lines NODE PARENT ..."},
    real_option("prior", "1", "", 1e-9, 1e9, "The parameter of the Dirichlet priors, of each value."),
    integer_option("burn_in", "20", "epochs", 0, 1e9, "Epochs whose draws are not counted.")};
}  // namespace

ROTA_APP(Gibbs, .name = "gibbs", .summary = "Gibbs sampling of a Bayesian network with missing values.",
         .items = "cases", .options = kOptions, .epochs = 200, .framework_needs = kSynchronous, .commands = kCommands);
