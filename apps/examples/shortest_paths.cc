// apps/examples/shortest_paths.cc -- the distances of all nodes of a directed graph from one of them.
//
// Input: lines "FROM TO LENGTH", an edge, its nodes numbered from 0, its length at least 0.  Bellman and Ford: in each
// epoch every edge offers its end the distance of its beginning plus its length, and the least offer stands.
#include <rota/io/lines_app.h>
#include <rota/plugin.h>

namespace {
using namespace rota;

constexpr double kFar = 1e100;  // of a node that was not reached

using Edge = std::tuple<std::uint32_t, std::uint32_t, double>;  // from, to, length

struct Settings {
  Key source = 0;
  void options(auto& list) { list.number("source", source, "", 0, 1e9, "The node that distances are measured from."); }
};

class EdgesPush final : public ItemsPush<Edge, Settings> {
 public:
  using ItemsPush::ItemsPush;
  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::span<const double> distances = table_.numbers();
    for (const auto& [from, to, length] : items_) {
      const double offer = distances[from] + length;
      if (offer < distances[to]) task.parts[to][0] = std::min(task.parts[to][0], offer);
    }
    return items_.size();
  }
};

class ShortestPaths final : public io::LinesApp<EdgesPush> {
 public:
  using LinesApp::LinesApp;
  std::string_view form() const override { return "FROM TO LENGTH"; }
  void look_at(Edge& edge, std::uint64_t, Facts& facts) const override {
    const auto& [from, to, length] = edge;
    if (!(length >= 0 && length <= 1e90)) throw std::invalid_argument("a length must be between 0 and 1e90");
    facts.largest("nodes", 1.0 + std::max(from, to));
  }
  Table table(const Facts& facts) const override {
    const Key nodes = facts.count("nodes");
    if (settings_.source >= nodes) throw UsageError("--source=" + std::to_string(settings_.source) + ": no such node");
    return {.name = "distances", .keys = nodes, .row_width = 1, .combine = Combine::min};
  }
  void start_row(const Facts&, TableId, Key node, std::span<double> row, Random&) const override {
    row[0] = node == settings_.source ? 0 : kFar;
  }
  StopBelow stop() const override { return {.tolerance = 5e-324}; }  // a distance that falls at all is a change
};
}  // namespace

ROTA_APP(ShortestPaths, .name = "shortest_paths", .summary = "Distances from a node of a graph.", .items = "edges",
         .epochs = 0);  // until no distance changes
