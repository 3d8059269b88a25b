#include "apps/kmeans/settings.h"

#include <cmath>
#include <string>

#include "rota/error.h"

namespace rota::kmeans {

Settings checked_settings(const Options& options) {
  auto settings = settings_of<Settings>(options);
  settings.form.check();
  const auto epochs = static_cast<std::uint64_t>(options.integer("epochs"));
  if (epochs == 0) return settings;
  const std::uint64_t recall = settings.restarts > 1 ? 1 : 0;  // the epoch that restores the best model
  if (epochs < settings.restarts + recall)
    throw UsageError("--restarts=" + std::to_string(settings.restarts) + " needs --epochs of at least " +
                     std::to_string(settings.restarts + recall));
  settings.most_epochs = (epochs - recall) / settings.restarts;
  return settings;
}

std::uint32_t draws_of(const Settings& settings) {
  return 2 + static_cast<std::uint32_t>(std::log(settings.clusters));
}

std::vector<Table> tables_of(const Settings& settings, std::uint64_t columns) {
  const std::uint32_t clusters = settings.clusters;
  return {{.name = "sums",
           .keys = columns + 1,
           .row_width = clusters,
           .part_width = clusters,
           .dense = true,
           .sized_by = "clusters"},
          {.name = "talk", .keys = 1, .row_width = 1, .single_partition = true}};
}

void check_rows(const Settings& settings, std::uint64_t rows) {
  if (rows < settings.clusters)
    throw UsageError("the data has " + std::to_string(rows) +
                     " rows, fewer than --clusters=" + std::to_string(settings.clusters));
}

}  // namespace rota::kmeans
