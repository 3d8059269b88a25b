#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "apps/linear/losses.h"
#include "apps/linear/ordered_sum.h"
#include "apps/sgd/exact/newton.h"
#include "rota/fields.h"

namespace rota::sgd {
namespace {

// The table has for each output a weight and a direction.  A part has for each output the gradient and the diagonal of
// the Hessian, or the product of the Hessian with the direction; sums over the rows.  After them a gradient has for
// each output the Hessian, where the part of the earlier of two entries of a row has their term; at its end it has the
// scale of a squared gradient (FeatureScale::step), then a 1.  The note of a search has for each output the loss at
// each of shares_of_step().
class NewtonPush final : public SavesFields<RowsPush, NewtonPush> {
 public:
  NewtonPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out)
      : SavesFields(shard, std::move(all), training, std::move(held_out)),
        outputs_(all_->outputs()),
        keys_(keys_of(training_.rows)) {
    if (all_->settings.loss == Loss::hinge) multipliers_.resize(training_.rows.size() * outputs_);
  }

  void attach(const Shape& shape) override {
    RowsPush::attach(shape);
    const Key keys = weights_.keys();
    part_width_ = newton_part_width(keys, outputs_);
    whole_ = has_whole_hessian(keys, outputs_);
  }
  std::uint64_t push(const SharedTask& task, Random&) override {
    double* const parts = begin_parts(task.parts, keys_);
    const auto kind = static_cast<Step>(task.argument[kStep]);
    std::vector<double> sums;
    switch (all_->settings.loss) {
      case Loss::squared:
        sums = step(linear::SmoothLoss<linear::SquaredLoss>(), kind, task.argument[kStepShare], parts);
        break;
      case Loss::squared_hinge:
        sums = step(linear::SmoothLoss<linear::SquaredHingeLoss>(), kind, task.argument[kStepShare], parts);
        break;
      case Loss::hinge:
        sums = step(linear::SmoothedHinge{task.argument[kSharpness]}, kind, task.argument[kStepShare], parts);
        break;
      default:
        sums = step(linear::SmoothLoss<linear::LogisticLoss>(), kind, task.argument[kStepShare], parts);
    }
    write_fields(task.note, sums);
    return items();
  }
  void refresh(const Commit& commit) override {
    if (static_cast<Step>(commit.argument[kStep]) != Step::gradient || multipliers_.empty()) return;
    if (read_fields<Plan>(commit.reply).new_multipliers) multipliers_ = next_multipliers_;
  }

  void fields(auto& list) {
    list(multipliers_);
    list.check(multipliers_.empty() || multipliers_.size() == training_.rows.size() * outputs_);
  }

 private:
  template <typename RowLoss>
  std::vector<double> step(const RowLoss& loss, Step kind, double step_share, double* parts) {
    if (kind == Step::search) return search(loss, step_share);
    if (kind == Step::gradient) return gradient(loss, parts);
    product(parts);
    return {};
  }
  template <typename RowLoss>
  std::vector<double> gradient(const RowLoss& loss, double* parts) {
    const std::vector<double> links = this->links(0);
    curvatures_.resize(links.size());
    if (RowLoss::kHasMultipliers) next_multipliers_.resize(links.size());
    std::vector<double> sums(kGradientNotes * outputs_), slopes(outputs_);
    for (const std::uint32_t key : keys_) {
      double* const end = parts + (key + std::size_t{1}) * part_width_;
      end[-2] = (*all_->scales)[key].step;
      end[-1] = 1;
    }
    for (std::size_t r = 0; r < training_.rows.size(); ++r) {
      const double weight = training_.weights.empty() ? 1 : training_.weights[r];
      for (std::uint32_t k = 0; k < outputs_; ++k) {
        const std::size_t i = r * outputs_ + k;
        const double f = links[i], y = linear::sign_of(training_.targets[r], k, outputs_), a = multiplier(i);
        slopes[k] = weight * loss.slope(f, y, a);
        curvatures_[i] = weight * loss.curvature(f, y, a);
        if constexpr (RowLoss::kHasMultipliers) next_multipliers_[i] = loss.multiplier(f, y, a);
        double* const note = sums.data() + kGradientNotes * k;
        note[kSmoothed] += weight * loss.value(f, y, a);
        note[kPrimal] += weight * loss.primal(f, y);
        note[kDual] += weight * loss.dual(f, y, a);
      }
      const double* const curvatures = curvatures_.data() + r * outputs_;
      for (const Entry& entry : training_.rows[r]) {
        double* const part = parts + entry.key * part_width_;
        const auto x = static_cast<double>(entry.value);
        for (std::uint32_t k = 0; k < outputs_; ++k) {
          part[2 * k] += slopes[k] * x;
          part[2 * k + 1] += curvatures[k] * (x * x);
        }
      }
      if (whole_) add_hessian(r, parts);
    }
    return sums;
  }
  void add_hessian(std::size_t r, double* parts) const {
    const std::span<const Entry> row = training_.rows[r];
    for (std::uint32_t k = 0; k < outputs_; ++k) {
      const double curvature = curvatures_[r * outputs_ + k];
      if (curvature == 0) continue;
      for (std::size_t i = 0; i < row.size(); ++i) {
        double* const part = parts + row[i].key * part_width_ + 2 * outputs_ + k * weights_.keys();
        const double x = curvature * static_cast<double>(row[i].value);
        for (std::size_t j = i; j < row.size(); ++j) part[row[j].key] += x * static_cast<double>(row[j].value);
      }
    }
  }
  void product(double* parts) const {
    const std::vector<double> moves = links(1);
    std::vector<double> slopes(outputs_);
    for (std::size_t r = 0; r < training_.rows.size(); ++r) {
      bool any = false;
      for (std::uint32_t k = 0; k < outputs_; ++k) {
        slopes[k] = curvatures_[r * outputs_ + k] * moves[r * outputs_ + k];
        any = any || slopes[k] != 0;
      }
      if (!any) continue;
      for (const Entry& entry : training_.rows[r]) {
        double* const part = parts + entry.key * part_width_;
        for (std::uint32_t k = 0; k < outputs_; ++k) part[2 * k] += slopes[k] * static_cast<double>(entry.value);
      }
    }
  }
  template <typename RowLoss>
  std::vector<double> search(const RowLoss& loss, double step_share) const {
    const std::vector<double> links = this->links(0), moves = this->links(1);
    std::vector<double> losses;
    for (std::uint32_t k = 0; k < outputs_; ++k)
      for (const double share : shares_of_step(all_->settings.loss))
        losses.push_back(linear::chunked_sum(training_.rows.size(), [&](std::size_t r) {
          const std::size_t i = r * outputs_ + k;
          const double y = linear::sign_of(training_.targets[r], k, outputs_);
          const double there = loss.value(links[i] + step_share * share * moves[i], y, multiplier(i));
          return training_.weights.empty() ? there : there * training_.weights[r];
        }));
    return losses;
  }

  // The products of the rows with the weights (0), or with the directions (1).
  std::vector<double> links(std::size_t number) const {
    return linear::links_of(training_.rows, {weights_.numbers().subspan(number), 2 * std::size_t{outputs_}, 2},
                            outputs_);
  }
  double multiplier(std::size_t i) const { return multipliers_.empty() ? 0 : multipliers_[i]; }

  std::uint32_t outputs_;
  std::size_t part_width_ = 0;
  bool whole_ = false;                                 // whether the Hessian is computed
  std::vector<std::uint32_t> keys_;                    // of the shard's rows
  std::vector<double> multipliers_;                    // by row and output; only of the hinge loss
  std::vector<double> curvatures_, next_multipliers_;  // by row and output, as of the last gradient
};

}  // namespace

std::unique_ptr<Push> newton_push(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training,
                                  ShardRows held_out) {
  return std::make_unique<NewtonPush>(shard, std::move(all), training, std::move(held_out));
}

}  // namespace rota::sgd
