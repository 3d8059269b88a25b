#include "apps/kmeans/commands/trained_model.h"

#include <algorithm>
#include <utility>

#include "apps/kmeans/settings.h"

namespace rota::kmeans {

TrainedModel read_model(const Model& model) {
  const std::uint32_t clusters = checked_settings(model.job().options).clusters;
  std::vector<double> table((model.facts().count("columns") + 1) * clusters);
  model.for_each_row(kSums, [&](Key key, std::span<const double> row) {
    std::copy(row.begin(), row.end(), table.begin() + static_cast<std::ptrdiff_t>(key * clusters));
  });
  const std::span<const double> whole = table;  // stays valid when the vector is moved
  return {std::move(table), Centres(whole, clusters)};
}

}  // namespace rota::kmeans
