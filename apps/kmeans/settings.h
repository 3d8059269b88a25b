// apps/kmeans/settings.h -- the options of the k-means app, its tables, and the terms of its evaluation.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rota/io/row_reader.h"
#include "rota/plugin.h"

namespace rota::kmeans {

inline constexpr TableId kSums = 0;  // dense: see centres.h
// No row is ever used: its rounds have notes and replies (talk.h).  A round that draws rows has an argument of two
// numbers: the first cluster that it is for, and the number of rows; one that chooses among them has only the cluster;
// that of a round at the end of an epoch is empty.
inline constexpr TableId kTalk = 1;
inline std::uint32_t to_count(double of_argument) {
  return static_cast<std::uint32_t>(of_argument);
}

struct Settings {
  std::uint32_t clusters = 8;
  bool plusplus = true;             // how a start draws its centres
  double tolerance = 0;             // least share of itself by which the inertia must fall
  std::uint32_t restarts = 1;       // how many starts; the best one is the model
  io::RowForm form = {};            // of the input
  std::uint64_t most_epochs = 300;  // of each
};

std::span<const Option> options();
// Throws UsageError if the options contradict each other.
Settings settings_of(const Options& options);
// The number of rows drawn for each centre of k-means++ but the first: 2 + log K (Arthur and Vassilvitskii, "k-means++:
// the advantages of careful seeding", SODA 2007, whose experiments drew more than one; the number is that of their
// implementation and of scikit-learn's).
std::uint32_t draws_of(const Settings& settings);
std::vector<Table> tables_of(const Settings& settings, std::uint64_t columns);
// Throws UsageError if there are more clusters than rows.
void check_rows(const Settings& settings, std::uint64_t rows);
std::span<const FrameworkNeeds> framework_needs();

}  // namespace rota::kmeans
