// apps/examples/components.cc -- the connected components of an undirected graph, by least labels.
//
// Input: lines "A B", an edge between two nodes, numbered from 0.  A component's label is its least node.  Every node
// begins with its own number; in each epoch both ends of an edge take the lesser of their labels.
#include <rota/io/lines_app.h>
#include <rota/plugin.h>

namespace {
using namespace rota;
using Edge = std::array<std::uint32_t, 2>;

class EdgesPush final : public ItemsPush<Edge> {
 public:
  using ItemsPush::ItemsPush;
  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::span<const double> labels = table_.numbers();
    for (const Edge& edge : items_) {
      const double least = std::min(labels[edge[0]], labels[edge[1]]);
      for (const Key node : edge)
        if (least < labels[node]) task.parts[node][0] = std::min(task.parts[node][0], least);
    }
    return items_.size();
  }
};

class Components final : public io::LinesApp<EdgesPush> {
 public:
  using LinesApp::LinesApp;
  std::string_view form() const override { return "two nodes"; }
  void look_at(Edge& edge, std::uint64_t, Facts& facts) const override {
    for (const double node : edge) facts.largest("nodes", node + 1);
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

ROTA_APP(Components, .name = "components", .summary = "A graph's connected components.", .items = "edges", .epochs = 0);
