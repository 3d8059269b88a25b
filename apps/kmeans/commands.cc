#include "apps/kmeans/commands.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/kmeans/settings.h"
#include "rota/io/csv_text.h"
#include "rota/io/number_text.h"
#include "rota/io/report_text.h"

namespace rota::kmeans {
namespace {

struct ShowSettings {
  std::uint32_t top = 10;
  void options(auto& list) {
    list.number("top", top, "columns", 0, io::kMostColumns,
                "Number of columns shown for a cluster, the largest first.");
  }
};

void show(const Call& call, std::ostream& out) {
  const Centres centres = read_centres(*call.model);
  const auto most = settings_of<ShowSettings>(call.options).top;
  out << centres.clusters() << " clusters, " << centres.columns() << " columns, epoch " << call.model->epoch() << "\n"
      << "For each: its number of rows, and its centre's largest numbers, column:number, columns from 1.\n\n";
  for (std::uint32_t k = 0; k < centres.clusters(); ++k) {
    out << io::right_aligned(std::to_string(k), 5)
        << io::right_aligned(io::exact_text(static_cast<std::uint64_t>(centres.count(k))), 11) << " ";
    for (const std::uint32_t j :
         io::largest(centres.columns(), most, [&](std::uint32_t j) { return std::abs(centres.value(j, k)); }))
      if (const double c = centres.value(j, k); c != 0) out << " " << j + 1 << ":" << io::six_digits(c);
    out << "\n";
  }
}

void each_nearest(const Call& call, const Centres& centres, const std::function<void(const Nearest&)>& take) {
  io::RowForm form = checked_settings(call.model->job().options).form;
  form.names = read_fields<std::vector<std::string>>(call.model->common());
  io::RowFiles files(call.input, form, kValues);
  std::vector<double> scores(centres.clusters());
  for (io::LabelledValues row; files.next(row);) {
    const io::SparseRow entries{row.columns, row.values};
    take(centres.nearest(entries, square_of(entries), scores));
  }
}

void predict(const Call& call, std::ostream& out) {
  each_nearest(call, read_centres(*call.model), [&](const Nearest& found) { out << found.cluster << "\n"; });
}

void evaluate(const Call& call, std::ostream& out) {
  const Centres centres = read_centres(*call.model);
  std::vector<std::uint64_t> sizes(centres.clusters());
  std::uint64_t rows = 0;
  double inertia = 0;
  each_nearest(call, centres, [&](const Nearest& found) {
    ++rows;
    ++sizes[found.cluster];
    inertia += found.distance;
  });
  if (rows == 0) throw DataError(call.input.front(), 0, "the data has no rows");
  out << "{\"rows\": " << rows << ", \"inertia\": " << io::exact_text(inertia) << ", \"cluster_sizes\": [";
  for (std::size_t k = 0; k < sizes.size(); ++k) out << (k > 0 ? ", " : "") << sizes[k];
  out << "]}\n";
}

constexpr std::string_view kReadme = R"(Clusters of rows (k-means) as text.

Clusters are numbered from 0, columns of the data from 1.  Numbers are written so that reading them gives the same
double.

clusters.csv     One cluster a line: its number, and its number of rows.  One without rows has no centre.
centres.csv      One number of a centre a line, those that are not 0: cluster, column, value.
assignments.csv  One row of the data a line, in the order of the input, numbered from 1; a second input file continues
                 the count: row, the cluster of the nearest centre, the Euclidean distance to it.
)";

}  // namespace

Centres read_centres(const Model& model) {
  const std::uint32_t clusters = checked_settings(model.job().options).clusters;
  std::vector<double> table((model.facts().count("columns") + 1) * clusters);
  model.for_each_row(kSums, [&](Key key, std::span<const double> row) {
    std::copy(row.begin(), row.end(), table.begin() + static_cast<std::ptrdiff_t>(key * clusters));
  });
  return {std::move(table), clusters};
}

void export_text(const Model& model, const std::filesystem::path& folder) {
  const Centres centres = read_centres(model);
  io::write_text(folder / "README.txt", kReadme);
  io::write_csv(folder / "clusters.csv", "cluster,rows", [&](auto row) {
    for (std::uint32_t k = 0; k < centres.clusters(); ++k) row(k, static_cast<std::uint64_t>(centres.count(k)));
  });
  io::write_csv(folder / "centres.csv", "cluster,column,value", [&](auto row) {
    for (std::uint32_t k = 0; k < centres.clusters(); ++k)
      for (std::uint64_t j = 0; j < centres.columns(); ++j)
        if (const double c = centres.value(j, k); c != 0) row(k, j + 1, c);
  });
  std::vector<Assignment> shards;
  std::uint64_t rows = 0;
  for (ShardId s = 0; s < model.job().shards; ++s) {
    shards.push_back(read_fields<ShardState>(model.shard(s)).nearest);
    rows += shards.back().cluster.size();
  }
  io::write_csv(folder / "assignments.csv", "row,cluster,distance", [&](auto row) {
    for (std::uint64_t i = 0; i < rows; ++i) {  // row i is that of shard i mod S
      const auto& [clusters, distances, inertia] = shards[i % shards.size()];
      const std::uint64_t r = i / shards.size();
      if (r >= clusters.size()) throw std::runtime_error("row " + std::to_string(i + 1) + " is in no shard");
      row(i + 1, clusters[r], std::sqrt(distances.at(r)));
    }
  });
}

std::span<const Command> commands() {
  static const Command kCommands[] = {
      {.name = "show", .summary = "prints the clusters", .options = declared_options<ShowSettings>(), .run = show},
      {.name = "predict", .summary = "prints the cluster of every row", .run = predict, .takes_input = true},
      {.name = "evaluate",
       .summary = "prints the inertia of other rows, and the sizes of their clusters, as JSON",
       .run = evaluate,
       .takes_input = true}};
  return kCommands;
}

}  // namespace rota::kmeans
