#include "apps/kmeans/settings.h"

#include <cmath>
#include <iterator>
#include <string>

#include "rota/error.h"

namespace rota::kmeans {
namespace {

constexpr Option kOptions[] = {
    integer_option("clusters", "8", "clusters", 1, 1'000'000, "Number of clusters, K."),
    {.name = "init",
     .kind = Option::Kind::choice,
     .default_value = "plusplus",
     .unit = "plusplus|random",
     .meaning = "The first centres: rows drawn one after the other, mostly far ones, each the best of "
                "2 + log(K) (greedy k-means++), or rows drawn at random."},
    integer_option("restarts", "1", "starts", 1, 10'000,
                   "Number of starts, one after the other; the model is that of the smallest inertia.  --epochs is for "
                   "all of them; without it, each has at most 300."),
    real_option("tolerance", "1e-6", "", 0, 1,
                "End when an epoch lowers the inertia by less than this share of it; 0: only when no row changes its "
                "cluster, which ends the job in any case."),
};

}  // namespace

std::span<const Option> options() {
  static const std::vector<Option> all = [] {
    std::vector<Option> options(std::begin(kOptions), std::end(kOptions));
    options.insert(options.end(), std::begin(io::kRowOptions), std::end(io::kRowOptions));
    return options;
  }();
  return all;
}

Settings settings_of(const Options& options) {
  Settings settings{.clusters = static_cast<std::uint32_t>(options.integer("clusters")),
                    .plusplus = options.text("init") != "random",
                    .tolerance = options.real("tolerance"),
                    .restarts = static_cast<std::uint32_t>(options.integer("restarts")),
                    .form = io::row_form(options)};
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

std::span<const FrameworkNeeds> framework_needs() {
  return kSynchronous;
}

}  // namespace rota::kmeans
