#include "apps/pagerank/commands/trained_model.h"

#include <algorithm>
#include <numeric>

#include "apps/pagerank/settings.h"
#include "rota/error.h"

namespace rota::pagerank {

TrainedModel read_model(const Model& model) {
  TrainedModel trained;
  trained.ranks.resize(model.facts().count("nodes"));
  trained.names.reserve(trained.ranks.size());
  model.for_each_row(kRanks, [&](Key node, std::span<const double> row) { trained.ranks.at(node) = row[0]; });
  const Bytes names = model.common();
  Reader in(names.view());
  for (std::size_t v = 0; v < trained.ranks.size(); ++v) trained.names.push_back(in.get_text());
  if (!in.done()) throw DataError("the model", 0, "the names of its nodes are damaged");
  return trained;
}

std::vector<std::size_t> top_nodes(const TrainedModel& model, std::size_t most) {
  std::vector<std::size_t> order(model.ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
    return model.ranks[a] != model.ranks[b] ? model.ranks[a] > model.ranks[b] : a < b;
  });
  order.erase(end, order.end());
  return order;
}

}  // namespace rota::pagerank
