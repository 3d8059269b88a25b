// apps/examples/components.cc -- the connected components of an undirected graph, by least labels.
//
// Input: lines "A B", an edge between two nodes, numbered from 0.  A component's label is its least node.  Every node
// begins with its own number; in each epoch both ends of an edge take the lesser of their labels.
#include <rota/io/lines_app.h>
#include <rota/plugin.h>

namespace {
using namespace rota;

struct Edge {
  Key a, b;
};

class EdgesPush final : public ItemsPush<Edge> {
 public:
  using ItemsPush::ItemsPush;
  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::span<const double> labels = table_.numbers();
    for (const auto& [a, b] : items_) {
      const double least = std::min(labels[a], labels[b]);
      for (const Key node : {a, b})
        if (least < labels[node]) task.parts[node][0] = std::min(task.parts[node][0], least);
    }
    return items_.size();
  }
};

class Components final : public io::LinesApp<EdgesPush> {
 public:
  using LinesApp::LinesApp;
  std::string_view form() const override { return "two nodes"; }
  bool read(std::string_view line, Edge& edge, Facts& facts) const override {
    if (!io::read_line(line, edge.a, edge.b) || std::max(edge.a, edge.b) >= (1U << 28)) return false;
    facts.largest("nodes", static_cast<double>(std::max(edge.a, edge.b) + 1));
    return true;
  }
  Table table(const Facts& facts) const override {
    return {.name = "labels", .keys = facts.count("nodes"), .row_width = 1, .combine = Combine::min};
  }
  void start_row(const Facts&, TableId, Key node, std::span<double> row, Random&) const override {
    row[0] = static_cast<double>(node);
  }
  StopBelow stop() const override { return {.tolerance = 0.5}; }  // no label changed
};
}  // namespace

ROTA_APP(Components, .name = "components", .summary = "Connected components of a graph.", .items = "edges",
         .epochs = 1'000'000);
