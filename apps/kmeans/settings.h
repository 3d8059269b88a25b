// apps/kmeans/settings.h -- the options of the k-means app, its tables, and the terms of its evaluation.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rota/io/row_reader.h"
#include "rota/plugin.h"
#include "rota/settings.h"

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
  std::uint32_t restarts = 1;       // how many starts; the best one is the model
  double tolerance = 1e-6;          // least share of itself by which the inertia must fall
  io::RowForm form = {};            // of the input
  std::uint64_t most_epochs = 300;  // of each start; from --epochs

  void options(auto& list) {
    list.number("clusters", clusters, "clusters", 1, 1'000'000, "Number of clusters, K.");
    list.choice("init", plusplus, {{"plusplus", true}, {"random", false}},
                "The first centres: rows drawn one after the other, mostly far ones, each the best of "
                "2 + log(K) (greedy k-means++), or rows drawn at random.");
    list.number("restarts", restarts, "starts", 1, 10'000,
                "Number of starts, one after the other; the model is that of the smallest inertia.  --epochs is for "
                "all of them; without it, each has at most 300.");
    list.number("tolerance", tolerance, "", 0, 1,
                "End when an epoch lowers the inertia by less than this share of it; 0: only when no row changes its "
                "cluster, which ends the job in any case.");
    list.all_of(form);
  }
};

// Throws UsageError if the options contradict each other.
Settings checked_settings(const Options& options);
// The number of rows drawn for each centre of k-means++ but the first: 2 + log K (Arthur and Vassilvitskii, "k-means++:
// the advantages of careful seeding", SODA 2007, whose experiments drew more than one; the number is that of their
// implementation and of scikit-learn's).
std::uint32_t draws_of(const Settings& settings);
std::vector<Table> tables_of(const Settings& settings, std::uint64_t columns);
// Throws UsageError if there are more clusters than rows.
void check_rows(const Settings& settings, std::uint64_t rows);

}  // namespace rota::kmeans
