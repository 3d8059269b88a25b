// apps/linear_models/initial_weights.h -- the start of a job with --init_model: the weights of another job, and its
// optimiser's state if this one has the same optimiser.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/linear_models/trained_model.h"
#include "rota/error.h"
#include "rota/job.h"
#include "rota/model.h"

namespace rota::linear {

// The fact of an app whose optimisers (--optimizer, --average) have a state that may continue: rows that a shard has
// seen, on average, in the jobs before this one.
inline constexpr std::string_view kRowsBefore = "rows_before";

class InitialWeights {
 public:
  // For the job with these settings, which begins with a model.  Throws UsageError if they do not fit the model,
  // DataError if the model is damaged.
  InitialWeights(const Job& job, const Settings& settings) : settings_(settings), model_(read_model(*job.initial)) {
    require_fit();
    const Model& model = *job.initial;
    const auto same = [&](const char* name) { return model.job().options.text(name) == job.options.text(name); };
    if (!model.facts().has(kRowsBefore) || !job.options.has("optimizer") || !same("optimizer") || !same("average") ||
        model_.settings.centres() != settings_.centres())
      return;
    const std::size_t width = std::size_t{layout().width()};
    rows_.resize(model_.keys * width);
    model.for_each_row(kWeights, [&](Key key, std::span<const double> row) {
      if (row.size() != width) throw DataError("the model of --init_model", 0, "its rows have another layout");
      std::copy_n(row.begin(), width, rows_.begin() + static_cast<std::ptrdiff_t>(key * width));
    });
    const auto rows_of_shard = static_cast<double>(model.facts().count("rows")) / model.job().shards;
    rows_before_ = model.facts().number(kRowsBefore) + model.epoch() * rows_of_shard;
  }

  // Throws DataError if the job's data has other classes, or columns of other names.
  void require_same(const ClassLabels& classes, const std::vector<std::string>& names) const {
    if (classes != model_.classes)
      throw DataError("the model of --init_model", 0,
                      "its classes are " + model_.classes.text() + ", those of the data " + classes.text());
    if (!names.empty() && !model_.names.empty() && names != model_.names)
      throw DataError("the model of --init_model", 0, "its columns have other names than those of the data");
  }
  // For a job whose columns are less by `origins`: the difference of the intercept of each output from the model's own,
  // whose columns are less by other origins; empty if the origins of its features are the same.
  std::vector<double> moves_of_intercept(const Origins& origins) const {
    std::vector<double> moves;
    for (Key key = kIntercept + 1; key < model_.keys; ++key) {
      const double move = origins[key] - model_.origins[key];
      if (move == 0) continue;
      moves.resize(model_.outputs);
      for (std::uint32_t k = 0; k < model_.outputs; ++k) moves[k] += move * model_.weight(key, k);
    }
    return moves;
  }
  // Fills the row of the table, which is zeros; it stays so for a new feature.  The optimiser's state of an intercept
  // that moves is no longer valid, nor is that of the features for which it moves.
  void put_row(Key key, std::span<const double> moves, std::span<double> row) const {
    if (key >= model_.keys || (key == kIntercept && !settings_.intercept)) return;
    if (!rows_.empty() && moves.empty()) {
      std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(key * row.size()), row.size(), row.begin());
      return;
    }
    for (std::uint32_t k = 0; k < model_.outputs; ++k) {
      double* const state = row.data() + k * layout().stride;
      double weight = model_.numbers[key * model_.outputs + k];
      if (key == kIntercept) weight += (moves.empty() ? 0 : moves[k]) - centre();
      state[0] = state[settings_.model_weight(layout())] = weight;
    }
  }
  // Subtracted from labels to get the job's targets, so that its intercept is the model's: the model's own.
  double centre() const { return settings_.centres() ? model_.centre : 0; }
  const TrainedModel& model() const { return model_; }
  // For an optimiser whose steps depend on it: see kRowsBefore.
  double rows_before() const { return rows_before_; }

 private:
  RowLayout layout() const { return settings_.layout(model_.outputs); }
  void require_fit() const {
    const auto refuse = [](const std::string& what) { throw UsageError("--init_model: " + what); };
    const Settings& other = model_.settings;
    if ((other.loss == Loss::squared) != (settings_.loss == Loss::squared))
      refuse("one of model and job has numbers (--loss=squared), the other classes");
    const std::uint32_t outputs = settings_.outputs(model_.classes.size());
    if (outputs != model_.outputs)
      refuse("the model has " + std::to_string(model_.outputs) + " weights for each feature, and this job has " +
             std::to_string(outputs) + ": another --loss or --one_against_rest");
    if (other.bits != settings_.bits || other.is_vw() != settings_.is_vw())
      refuse("the features of the model are hashed differently: --bits=" + std::to_string(other.bits) +
             (other.is_vw() ? " --format=vw" : ""));
  }

  Settings settings_;
  TrainedModel model_;
  std::vector<double> rows_;  // of the model's table; empty if this optimiser is another
  double rows_before_ = 0;
};

}  // namespace rota::linear
