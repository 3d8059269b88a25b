// apps/sgd/initial_weights.h -- where a job with --init_model begins: the weights of another job, and what its
// optimiser remembered if this one has the same.
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
  // Of a job whose columns are less by `origins`: by how much the intercept of each output has to be more than the
  // model's own, whose columns are less by others; none if those of its features are the same.
  std::vector<double> moves_of_intercept(const linear::Origins& origins) const;
  // The row of the table, which is zeros; it stays so for a feature that the model has not.  What the optimiser
  // remembered of an intercept that moves is no longer true, nor of the features that it moves for.
  void put_row(Key key, std::span<const double> moves, std::span<double> row) const;
  // What the job's targets are less than labels, so that its intercept is the model's: the model's own.
  double centre() const { return settings_.centres() ? model_.centre : 0; }
  Key keys() const { return model_.keys; }
  // Rows that a shard has seen already, for an optimiser whose steps depend on it.
  double rows_before() const { return rows_before_; }

 private:
  Settings settings_;
  TrainedModel model_;
  std::vector<double> rows_;  // of the model's table; none if this optimiser is another
  double rows_before_ = 0;
};

// What jobs before this one have added up to, by the facts of its data.
double rows_before(const Facts& facts);

}  // namespace rota::sgd
