// apps/kmeans/settings.h -- the options of the k-means app.
#pragma once
#include <cstdint>
#include <string>

#include "rota/error.h"
#include "rota/io/row_reader.h"
#include "rota/settings.h"

namespace rota::kmeans {

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
inline Settings checked_settings(const Options& options) {
  auto settings = settings_of<Settings>(options);
  settings.form.check();
  settings.form.labels = io::RowForm::Labels::ignored;
  const auto epochs = static_cast<std::uint64_t>(options.integer("epochs"));
  if (epochs == 0) return settings;
  const std::uint64_t recall = settings.restarts > 1 ? 1 : 0;  // the epoch that restores the best model
  if (epochs < settings.restarts + recall)
    throw UsageError("--restarts=" + std::to_string(settings.restarts) + " needs --epochs of at least " +
                     std::to_string(settings.restarts + recall));
  settings.most_epochs = (epochs - recall) / settings.restarts;
  return settings;
}

}  // namespace rota::kmeans
