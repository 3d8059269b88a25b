// apps/kmeans/commands.h -- the options of the k-means app, and the commands for a model: show, predict, evaluate, and
// its text files.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "apps/kmeans/centres.h"
#include "rota/error.h"
#include "rota/io/csv_text.h"
#include "rota/io/number_text.h"
#include "rota/io/report_text.h"
#include "rota/io/row_files.h"
#include "rota/plugin.h"

namespace rota::kmeans {

inline constexpr Needs kDrawn = {"jobs without --centres", [](const Options& given) { return !given.has("centres"); }};

struct Settings {
  std::uint32_t clusters = 8;
  bool plusplus = true;                                         // how a start draws its centres
  std::uint32_t restarts = 1;                                   // how many starts; the best one is the model
  double tolerance = 1e-6;                                      // least share of itself by which the inertia must fall
  std::string centres;                                          // a path: the first centres are given; or ""
  io::RowForm form = {.labels = io::RowForm::Labels::ignored};  // of the input
  std::uint64_t most_epochs = 300;                              // of each start; from --epochs

  void options(auto& list) {
    list.number("clusters", clusters, "clusters", 1, 1'000'000, "Number of clusters, K.");
    list.choice("init", plusplus, {{"plusplus", true}, {"random", false}},
                "The first centres: rows drawn one after the other, mostly far ones, each the best of "
                "2 + log(K) (greedy k-means++), or rows drawn at random.")
        .needs = kDrawn;
    list.number("restarts", restarts, "starts", 1, 10'000,
                "Number of starts, one after the other; the model is that of the smallest inertia.  --epochs is for "
                "all of them; without it, each has at most 300.")
        .needs = kDrawn;
    list.path("centres", centres,
              "A file with the first centres, which are not drawn then: one number a line, all columns of the first "
              "centre, then those of the second.");
    list.number("tolerance", tolerance, "", 0, 1,
                "End when an epoch lowers the inertia by less than this share of it; 0: only when no row changes its "
                "cluster, which ends the job in any case.");
    list.all_of(form);
  }
};

// Throws UsageError if the options contradict each other.
inline Settings checked_settings(const Options& options) {
  auto settings = settings_of<Settings>(options);
  settings.form.check();
  const auto epochs = static_cast<std::uint64_t>(options.integer("epochs"));
  const std::uint64_t recall = settings.restarts > 1 ? 1 : 0;  // the epoch that restores the best model
  if (epochs > 0) settings.most_epochs = (epochs - recall) / settings.restarts;
  if (settings.most_epochs == 0)
    throw UsageError("--restarts=" + std::to_string(settings.restarts) + " needs --epochs of at least " +
                     std::to_string(settings.restarts + recall));
  return settings;
}

inline constexpr TableId kSums = 0;  // see centres.h
// Numbers of one of its rows, so that a column has clusters / width rows.  A row of data that moves changes the numbers
// of two clusters, and only the rows with these are added, sent and committed.
inline std::uint32_t width_of_sums(std::uint32_t clusters) {
  for (std::uint32_t width = 16; width >= 4; --width)
    if (clusters % width == 0) return width;
  return clusters;
}

// Squares of larger values, and sums of them, might overflow; and if all values are below the other limit, the squares
// of differences lose their digits or underflow.
inline constexpr io::ValueRange kValues = {.least = 1e-140, .most = 1e140};

// Throws DataError if a part of the model is missing or damaged.
inline Centres read_centres(const Model& model) {
  const std::uint32_t clusters = checked_settings(model.job().options).clusters;
  std::vector<double> table((model.facts().count("columns") + 1) * clusters);
  model.for_each_row(kSums, [&](Key key, std::span<const double> row) {
    std::ranges::copy(row, table.begin() + static_cast<std::ptrdiff_t>(key * row.size()));
  });
  return {std::move(table), clusters};
}

struct Shown {
  std::uint32_t top = 10;
  void options(auto& list) {
    list.number("top", top, "columns", 0, io::kMostColumns,
                "Number of columns shown for a cluster, the largest first.");
  }
};

inline void show(const Call& call, std::ostream& out) {
  const Centres centres = read_centres(*call.model);
  const auto most = settings_of<Shown>(call.options).top;
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

// The nearest cluster of every row of the input, and the squared distance.
inline std::vector<std::pair<std::uint32_t, double>> nearest_of_rows(const Call& call, const Centres& centres) {
  io::RowForm form = checked_settings(call.model->job().options).form;
  form.names = read_fields<std::vector<std::string>>(call.model->common());
  io::RowFiles files(call.input, form, kValues);
  std::vector<double> scores(centres.clusters());
  std::vector<std::pair<std::uint32_t, double>> found;
  for (io::LabelledValues row; files.next(row);)
    found.push_back(centres.nearest({row.columns, row.values}, square_of(row.values), scores));
  return found;
}

inline void predict(const Call& call, std::ostream& out) {
  for (const auto& [k, distance] : nearest_of_rows(call, read_centres(*call.model))) out << k << "\n";
}

inline void evaluate(const Call& call, std::ostream& out) {
  const Centres centres = read_centres(*call.model);
  const auto rows = nearest_of_rows(call, centres);
  if (rows.empty()) throw DataError(call.input.front(), 0, "the data has no rows");
  std::vector<std::uint64_t> sizes(centres.clusters());
  double inertia = 0;
  for (const auto& [k, distance] : rows) {
    ++sizes[k];
    inertia += distance;
  }
  out << nlohmann::ordered_json{{"rows", rows.size()}, {"inertia", inertia}, {"cluster_sizes", sizes}} << "\n";
}

inline constexpr std::string_view kReadme = R"(Clusters of rows (k-means) as text.

Clusters are numbered from 0, columns of the data from 1.  Numbers are written so that reading them gives the same
double.

clusters.csv     One cluster a line: its number, and its number of rows.  One without rows has no centre.
centres.csv      One number of a centre a line, those that are not 0: cluster, column, value.
assignments.csv  One row of the data a line, in the order of the input, numbered from 1; a second input file continues
                 the count: row, the cluster of the nearest centre, the Euclidean distance to it.
)";

inline void export_text(const Model& model, const std::filesystem::path& folder) {
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
  std::vector<std::vector<RowState>> shards;
  for (ShardId s = 0; s < model.job().shards; ++s) shards.push_back(read_fields<std::vector<RowState>>(model.shard(s)));
  io::write_csv(folder / "assignments.csv", "row,cluster,distance", [&](auto row) {
    const std::size_t count = shards.size();  // row i is that of shard i mod S
    for (std::uint64_t i = 0; i / count < shards[i % count].size(); ++i) {
      const RowState& its = shards[i % count][i / count];
      row(i + 1, its.nearest, std::sqrt(its.distance));
    }
  });
}

inline const Command kCommands[] = {
    {"show", "prints the clusters", declared_options<Shown>(), show},
    {"predict", "prints the cluster of every row", {}, predict, true, true},
    {"evaluate",
     "prints the inertia of other rows, and the sizes of their clusters, as JSON",
     {},
     evaluate,
     true,
     true},
};

}  // namespace rota::kmeans
