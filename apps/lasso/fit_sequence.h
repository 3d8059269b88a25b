// apps/lasso/fit_sequence.h -- the sequence of fits of a job: the path of penalties for every fold of the
// cross-validation, and last for all rows.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/lasso/settings.h"
#include "apps/lasso/tables.h"
#include "rota/bytes.h"

namespace rota::lasso {

class FitSequence {
 public:
  explicit FitSequence(const Settings& settings) : settings_(settings) {}

  // Until begin() the current fit is that without coefficients on all rows.  `lambda_max` is the smallest penalty at
  // which that is the optimum; begin() makes the path.  True if the first fit is of a fold: with other rows.
  bool begin(double lambda_max);
  bool begun() const { return !lambdas_.empty(); }
  bool done() const { return done_; }
  // Whether all fits are done, and each reached its tolerance.
  bool converged() const { return done_ && all_reached_; }

  // The current fit.
  std::uint32_t fold() const { return fold_; }
  std::uint32_t penalty() const { return penalty_; }
  double lambda() const { return begun() ? lambdas_[penalty_] : 0; }
  // Whether no penalty follows for these rows.
  bool last_penalty() const { return penalty_ + 1 == lambdas_.size(); }
  // Ends the current fit.  `reached`: its tolerance.
  void end_fit(bool reached) { all_reached_ = all_reached_ && reached; }
  // Moves to the next fit.  True if that has other rows: then it begins from zero.
  bool advance();

  // A round of the current fit.  `argument` is a FitStep, of which the step is given, with what follows for that step.
  template <typename Argument>
  Round round(TableId table, Argument argument, std::vector<Key> shared = {}) const {
    argument.fold = fold_;
    argument.penalty = penalty_;
    argument.lambda = lambda();
    return {
        .table = table, .shared = std::move(shared), .blocks = {}, .argument = rota::Argument(argument), .owned = {}};
  }

  void fields(auto& list) {
    list(lambdas_, fold_, penalty_, done_, all_reached_);
    list.check(fold_ <= settings_.folds && (lambdas_.empty() || penalty_ < lambdas_.size()));
  }

 private:
  Settings settings_;
  std::vector<double> lambdas_;  // descending
  std::uint32_t fold_ = 0, penalty_ = 0;
  bool done_ = false;
  bool all_reached_ = true;
};

// The fold (1 .. folds) of every row: equal numbers of rows, in an order that the seed shuffles.  Empty if there are no
// folds.
std::vector<std::uint32_t> folds_of_rows(std::uint64_t rows, std::uint32_t folds, std::uint64_t seed);

// The weights of a fit without the rows of a fold, summing to 1, and 0 for the fold's rows; of fold 0, all rows.
// No weights: all 1.  Throws DataError, which names the weights' file, if they are all 0.
std::vector<double> weights_outside(std::uint64_t rows, const std::vector<double>& weights,
                                    const std::vector<std::uint32_t>& folds, std::uint32_t fold,
                                    const std::string& file);
[[noreturn]] void refuse_no_weight(const std::string& file, std::uint32_t fold);
// The weights of a fold's rows alone, as shares of all rows'.
std::vector<double> weights_within(const std::vector<double>& weights, const std::vector<std::uint32_t>& folds,
                                   std::uint32_t fold);

}  // namespace rota::lasso
