// apps/examples/shortest_paths.cc -- the distances of all nodes of a directed graph from one of them.
//
// Input: lines "FROM TO LENGTH", an edge, its nodes numbered from 0, its length at least 0.  Bellman and Ford: in each
// epoch every edge offers its end the distance of its beginning plus its length, and the least offer stands.
#include <rota/io/deal_lines.h>
#include <rota/plugin.h>
#include <rota/schedules/sweep.h>
#include <rota/shards.h>

#include <cmath>

namespace {
using namespace rota;

constexpr double kFar = 1e100;  // of a node that was not reached

struct Edge {
  std::uint64_t from, to;
  double length;
};

class EdgesPush final : public SharedPush {
 public:
  explicit EdgesPush(std::vector<Edge> edges) : edges_(std::move(edges)) {}
  std::uint64_t items() const override { return edges_.size(); }
  void facts(Facts& facts) const override {
    std::uint64_t nodes = 0;
    for (const Edge& edge : edges_) nodes = std::max({nodes, edge.from + 1, edge.to + 1});
    facts.largest("nodes", static_cast<double>(nodes));
  }
  void attach(const Shape& shape) override { distances_ = shape.views[0]; }
  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::span<const double> distances = distances_.numbers();
    for (const Edge& edge : edges_) {
      const double offer = distances[edge.from] + edge.length;
      if (offer < distances[edge.to]) task.parts[edge.to][0] = std::min(task.parts[edge.to][0], offer);
    }
    return edges_.size();
  }

 private:
  std::vector<Edge> edges_;
  TableView distances_;
};

class ShortestPaths final : public App {
 public:
  explicit ShortestPaths(const Job& job) : job_(job), source_(static_cast<Key>(job.options.integer("source"))) {}
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    auto edges =
        io::deal_lines<Edge>(job_.input, job_.shards, hosted, "FROM TO LENGTH", [](std::string_view line, Edge& edge) {
          return io::read_line(line, edge.from, edge.to, edge.length) && edge.length >= 0 && edge.length <= 1e90 &&
                 std::max(edge.from, edge.to) < (1U << 28);
        });
    return make_pushes<EdgesPush>(edges);
  }
  std::vector<Table> tables(const Facts& facts) const override {
    if (source_ >= facts.count("nodes")) throw UsageError("--source=" + std::to_string(source_) + ": no such node");
    return {{.name = "distances",
             .keys = facts.count("nodes"),
             .row_width = 1,
             .part_width = 1,
             .dense = true,
             .started = true,
             .combine = Combine::min}};
  }
  void start_row(const Facts&, TableId, Key node, std::span<double> row, Random&) const override {
    row[0] = node == source_ ? 0 : kFar;
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    // A distance that falls at all is a change: the smallest double.
    return std::make_unique<OpenSchedule>(0, std::vector<double>{}, StopBelow{.tolerance = 5e-324});
  }

 private:
  const Job& job_;
  Key source_;
};

constexpr Option kOptions[] = {integer_option("source", "0", "", 0, 1e9, "The node that distances are measured from.")};
}  // namespace

ROTA_APP(ShortestPaths, .name = "shortest_paths", .summary = "Distances from a node of a graph.", .items = "edges",
         .options = kOptions, .epochs = 1'000'000);
