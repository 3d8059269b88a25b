// apps/kmeans/settings.h -- the options of the k-means app, its tables, and the terms of its evaluation.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rota/job.h"
#include "rota/options.h"
#include "rota/types.h"

namespace rota::kmeans {

inline constexpr TableId kSums = 0;  // dense: see centres.h
// No row is ever used: its rounds have notes and replies (talk.h).  A starting round's argument is the first cluster
// that it is for, and how many; that of a round at an epoch's end is empty.
inline constexpr TableId kTalk = 1;
inline std::uint32_t to_count(double of_argument) {
  return static_cast<std::uint32_t>(of_argument);
}

struct Settings {
  std::uint32_t clusters = 8;
  bool plusplus = true;  // the start
  double tolerance = 0;  // least share of itself by which the inertia must fall
  std::uint64_t index_from = 1;
};

std::span<const Option> options();
Settings settings_of(const Options& options);
std::vector<Table> tables_of(const Settings& settings, std::uint64_t columns);
// Throws UsageError if there are more clusters than rows.
void check_rows(const Settings& settings, std::uint64_t rows);
// Options that change nothing.
std::vector<Ignored> ignored(const Options& options);

}  // namespace rota::kmeans
