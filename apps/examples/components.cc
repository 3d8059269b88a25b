// apps/examples/components.cc -- the connected components of an undirected graph, by least labels.
//
// Input: lines "A B", an edge between two nodes, numbered from 0.  A component's label is its least node.  Every node
// begins with its own number; in each epoch both ends of an edge take the lesser of their labels.
#include <rota/io/deal_lines.h>
#include <rota/plugin.h>
#include <rota/schedules/sweep.h>
#include <rota/shards.h>

namespace {
using namespace rota;

struct Edge {
  std::uint64_t a, b;
};

class EdgesPush final : public SharedPush {
 public:
  explicit EdgesPush(std::vector<Edge> edges) : edges_(std::move(edges)) {}
  std::uint64_t items() const override { return edges_.size(); }
  void facts(Facts& facts) const override {
    std::uint64_t nodes = 0;
    for (const Edge& edge : edges_) nodes = std::max({nodes, edge.a + 1, edge.b + 1});
    facts.largest("nodes", static_cast<double>(nodes));
  }
  void attach(const Shape& shape) override { labels_ = shape.views[0]; }
  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::span<const double> labels = labels_.numbers();
    for (const Edge& edge : edges_) {
      const double least = std::min(labels[edge.a], labels[edge.b]);
      for (const std::uint64_t node : {edge.a, edge.b})
        if (least < labels[node]) task.parts[node][0] = std::min(task.parts[node][0], least);
    }
    return edges_.size();
  }
  void evaluate(Terms terms) const override {
    for (const Edge& edge : edges_) terms[0] += labels_.numbers()[edge.a] != labels_.numbers()[edge.b] ? 1 : 0;
  }

 private:
  std::vector<Edge> edges_;
  TableView labels_;
};

class Components final : public App {
 public:
  explicit Components(const Job& job) : job_(job) {}
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    auto edges =
        io::deal_lines<Edge>(job_.input, job_.shards, hosted, "two nodes", [](std::string_view line, Edge& edge) {
          return io::read_line(line, edge.a, edge.b) && std::max(edge.a, edge.b) < (1U << 28);
        });
    return make_pushes<EdgesPush>(edges);
  }
  std::vector<Table> tables(const Facts& facts) const override {
    return {{.name = "labels",
             .keys = facts.count("nodes"),
             .row_width = 1,
             .part_width = 1,
             .dense = true,
             .started = true,
             .combine = Combine::min}};
  }
  void start_row(const Facts&, TableId, Key node, std::span<double> row, Random&) const override {
    row[0] = static_cast<double>(node);
  }
  std::vector<Term> terms() const override { return {{"edges_apart", Term::Kind::normalised}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<OpenSchedule>(0, std::vector<double>{}, StopBelow{.tolerance = 0.5});  // no label changed
  }

 private:
  const Job& job_;
};
}  // namespace

ROTA_APP(Components, .name = "components", .summary = "Connected components of a graph.", .items = "edges",
         .epochs = 1'000'000);
