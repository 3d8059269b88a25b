// apps/sgd/initial_weights.h -- the start of a job with --init_model: the weights of another job, and its optimiser's
// state if this one has the same optimiser.
#pragma once
#include <span>
#include <vector>

#include "apps/linear/class_labels.h"
#include "apps/sgd/commands/trained_model.h"
#include "apps/sgd/settings.h"
#include "rota/model.h"

namespace rota::sgd {

class InitialWeights {
 public:
  // Throws UsageError if the job's options do not fit the model, DataError if the model is damaged.
  InitialWeights(const Model& model, const Settings& settings);

  // Throws DataError if the job's data has other classes.
  void require_classes(const linear::ClassLabels& classes) const;
  // For a job whose columns are less by `origins`: the difference of the intercept of each output from the model's own,
  // whose columns are less by other origins; empty if the origins of its features are the same.
  std::vector<double> moves_of_intercept(const linear::Origins& origins) const;
  // Fills the row of the table, which is zeros; it stays so for a new feature.  The optimiser's state of an intercept
  // that moves is no longer valid, nor is that of the features for which it moves.
  void put_row(Key key, std::span<const double> moves, std::span<double> row) const;
  // Subtracted from labels to get the job's targets, so that its intercept is the model's: the model's own.
  double centre() const { return settings_.centres() ? model_.centre : 0; }
  Key keys() const { return model_.keys; }
  // Rows that a shard has seen in earlier jobs, for an optimiser whose steps depend on it.
  double rows_before() const { return rows_before_; }

 private:
  Settings settings_;
  TrainedModel model_;
  std::vector<double> rows_;  // of the model's table; empty if this optimiser is another
  double rows_before_ = 0;
};

// The rows of earlier jobs, by the facts of this job's data.
double rows_before(const Facts& facts);

}  // namespace rota::sgd
