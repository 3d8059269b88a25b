#include "apps/lasso/fit_sequence.h"

#include <cmath>
#include <numeric>

#include "rota/error.h"
#include "rota/random.h"

namespace rota::lasso {

bool FitSequence::begin(double lambda_max) {
  // If no column has any effect (lambda_max is 0), any penalty gives none.
  const double last = settings_.lambda.value_or(lambda_max > 0 ? lambda_max * settings_.ratio() : 1.0);
  lambdas_.clear();
  // Equal ratios from lambda_max to the last, as glmnet's path; a last one above lambda_max is fitted unchanged.
  for (std::uint32_t k = 0; k + 1 < settings_.path; ++k) {
    const double share = static_cast<double>(k) / (settings_.path - 1);
    lambdas_.push_back(lambda_max > 0 ? lambda_max * std::pow(last / lambda_max, share) : last);
  }
  lambdas_.push_back(last);
  fold_ = settings_.folds > 0 ? 1 : 0;
  return fold_ != 0;
}

bool FitSequence::advance() {
  if (!last_penalty()) return ++penalty_, false;
  done_ = fold_ == 0;
  if (done_) return false;
  penalty_ = 0;
  fold_ = fold_ == settings_.folds ? 0 : fold_ + 1;
  return true;
}

std::vector<std::uint32_t> folds_of_rows(std::uint64_t rows, std::uint32_t folds, std::uint64_t seed) {
  if (folds == 0) return {};
  std::vector<std::uint32_t> fold(rows);
  for (std::uint64_t i = 0; i < rows; ++i) fold[i] = static_cast<std::uint32_t>(i % folds) + 1;
  // Fisher and Yates; the constants beside the seed separate this stream from those of the rounds.
  Random random({seed, 0x666f6c6473, rows, folds});
  for (int i = 0; i < 16; ++i) random();  // a seed of few bits takes some steps to spread
  for (std::uint64_t i = rows; i > 1; --i) std::swap(fold[i - 1], fold[random.below(i)]);
  return fold;
}

void refuse_no_weight(const std::string& file, std::uint32_t fold) {
  throw DataError(file, 0,
                  fold == 0 ? "all weights are 0"
                            : "the rows outside of fold " + std::to_string(fold) + " have no weight: take fewer folds");
}

std::vector<double> weights_outside(std::uint64_t rows, const std::vector<double>& weights,
                                    const std::vector<std::uint32_t>& folds, std::uint32_t fold,
                                    const std::string& file) {
  std::vector<double> out(rows);
  double sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (fold == 0 || folds[i] != fold) sum += out[i] = weights.empty() ? 1 : weights[i];
  if (!(sum > 0)) refuse_no_weight(file, fold);
  for (double& one : out) one /= sum;
  return out;
}

std::vector<double> weights_within(const std::vector<double>& weights, const std::vector<std::uint32_t>& folds,
                                   std::uint32_t fold) {
  std::vector<double> out(folds.size());
  const double sum =
      weights.empty() ? static_cast<double>(folds.size()) : std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (folds[i] == fold) out[i] = (weights.empty() ? 1 : weights[i]) / sum;
  return out;
}

}  // namespace rota::lasso
