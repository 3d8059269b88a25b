#include "apps/kmeans/settings.h"

#include <string>

#include "rota/error.h"
#include "rota/io/libsvm.h"

namespace rota::kmeans {
namespace {

constexpr Option kOptions[] = {
    integer_option("clusters", "8", "clusters", 1, 1'000'000, "Number of clusters, K."),
    {.name = "start",
     .kind = Option::Kind::choice,
     .default_value = "plusplus",
     .unit = "plusplus|random",
     .meaning = "The first centres: rows drawn one after the other, far ones rather than near ones (k-means++), or "
                "rows drawn at random."},
    real_option("tolerance", "1e-6", "", 0, 1,
                "End when an epoch lowers the inertia by less than this share of it; 0: only when no row changes its "
                "cluster, which ends the job in any case."),
    io::kIndexFrom,
};

}  // namespace

std::span<const Option> options() {
  return kOptions;
}

Settings settings_of(const Options& options) {
  return {.clusters = static_cast<std::uint32_t>(options.integer("clusters")),
          .plusplus = options.text("start") != "random",
          .tolerance = options.real("tolerance"),
          .index_from = io::index_from(options)};
}

std::vector<Table> tables_of(const Settings& settings, std::uint64_t columns) {
  const std::uint32_t clusters = settings.clusters;
  return {{.name = "sums", .keys = columns + 1, .row_width = clusters, .part_width = clusters, .dense = true},
          {.name = "talk", .keys = 1, .row_width = 1, .single_partition = true}};
}

void check_rows(const Settings& settings, std::uint64_t rows) {
  if (rows < settings.clusters)
    throw UsageError("the data has " + std::to_string(rows) +
                     " rows, fewer than --clusters=" + std::to_string(settings.clusters));
}

std::vector<Ignored> ignored(const Options&) {
  const char* const why = "every round of k-means needs the commits of those before it";
  return {{"asynchronous", why}, {"staleness", why}};
}

}  // namespace rota::kmeans
