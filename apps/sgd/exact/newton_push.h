// apps/sgd/exact/newton_push.h -- one shard of Newton's method: gradient and curvature of its rows' losses, products
// with their Hessian, and the losses along a line.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/sgd/exact/plan.h"
#include "apps/sgd/rows_push.h"
#include "rota/fields.h"

namespace rota::sgd {

// The points of a line search, as shares of the step.  All are evaluated in one round, so they are fewer if losses are
// expensive.
inline std::span<const double> shares_of_step(Loss loss) {
  static constexpr double kMany[] = {1,    0.8,  0.6,  0.45,  0.33,  0.25,  0.17,  0.12,
                                     0.08, 0.05, 0.03, 0.016, 0.008, 0.004, 0.001, 0.0001},
                          kFew[] = {1, 0.5, 0.125, 1.0 / 64};
  if (loss == Loss::logistic) return kFew;
  return kMany;
}

// With few features a gradient round computes the whole Hessian, and no products with it are needed.
inline bool has_whole_hessian(Key keys, std::uint32_t outputs) {
  constexpr Key kMostNumbers = Key{1} << 19;
  return keys <= kMostNumbers && keys * keys * outputs <= kMostNumbers;
}
inline std::uint32_t newton_part_width(Key keys, std::uint32_t outputs) {
  return outputs * (2 + (has_whole_hessian(keys, outputs) ? static_cast<std::uint32_t>(keys) : 0)) + 2;
}

// The sums over the rows in a gradient's note, for each output: the smoothed loss, the loss, the term of the dual
// objective.
enum GradientNote : std::size_t { kSmoothed, kPrimal, kDual, kGradientNotes };

// The table has for each output a weight and a direction.  A part has for each output the gradient and the diagonal of
// the Hessian, or the product of the Hessian with the direction; sums over the rows.  After them a gradient has for
// each output the Hessian, where the part of the earlier of two entries of a row has their term; at its end it has the
// scale of a squared gradient (FeatureScale::step), then a 1.  The note of a search has for each output the loss at
// each of shares_of_step().
class NewtonPush final : public SavesFields<RowsPush, NewtonPush> {
 public:
  NewtonPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out);

  void attach(const Shape& shape) override;
  std::uint64_t push(const SharedTask& task, Random& random) override;
  void refresh(const Commit& commit) override;

  void fields(auto& list) {
    list(multipliers_);
    list.check(multipliers_.empty() || multipliers_.size() == training_.rows.size() * outputs_);
  }

 private:
  template <typename RowLoss>
  std::vector<double> step(const RowLoss& loss, Step kind, double step_share, double* parts);
  template <typename RowLoss>
  std::vector<double> gradient(const RowLoss& loss, double* parts);
  void add_hessian(std::size_t r, double* parts) const;
  void product(double* parts) const;
  template <typename RowLoss>
  std::vector<double> search(const RowLoss& loss, double step_share) const;

  // The products of the rows with the weights (0), or with the directions (1).
  std::vector<double> links(std::size_t number) const;
  double multiplier(std::size_t i) const { return multipliers_.empty() ? 0 : multipliers_[i]; }

  std::uint32_t outputs_;
  std::size_t part_width_ = 0;
  bool whole_ = false;                                 // whether the Hessian is computed
  std::vector<std::uint32_t> keys_;                    // of the shard's rows
  std::vector<double> multipliers_;                    // by row and output; only of the hinge loss
  std::vector<double> curvatures_, next_multipliers_;  // by row and output, as of the last gradient
};

}  // namespace rota::sgd
