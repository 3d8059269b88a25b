#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "apps/linear/row_scores.h"
#include "apps/sgd/local_pass.h"
#include "apps/sgd/steps.h"
#include "apps/sgd/svrg/svrg.h"
#include "rota/fields.h"

namespace rota::sgd {
namespace {

constexpr int kPasses = 3;  // from a snapshot
constexpr double kLargestWeight = 1e100;

// The largest change of a slope with the link: the larger it is, the smaller steps must be.
double largest_curvature(Loss loss) {
  switch (loss) {
    case Loss::squared:
      return 1;
    case Loss::squared_hinge:
      return 2;
    case Loss::softmax:
      return 0.5;
    default:
      return 0.25;
  }
}

// Parts are as wide as a row of the table, plus one.  For a gradient, the sum over the rows is at the position of the
// gradient in the table, after that of the first output is the scale of the feature's steps, then a 1, and the note is
// the sum of the losses.  For passes they are as in tables.h, and the note is 1 if the steps were so large that the
// weights overflowed; then there are no parts.
class SvrgPush final : public RowsPush {
 public:
  SvrgPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out)
      : RowsPush(shard, std::move(all), training, std::move(held_out)),
        pass_(all_->settings, all_->scales, all_->outputs()),
        keys_(keys_of(training_.rows)) {}

  std::uint64_t push(const SharedTask& task, Random& random) override {
    std::vector<double> note;
    if (static_cast<Step>(task.argument[kStep]) == Step::passes) {
      if (slopes_.empty()) find_slopes();
      note = {take_passes(task.argument[kRateShare], task.parts, random) ? 0.0 : 1.0};
    } else {
      note = {find_slopes()};
      add_gradient(begin_parts(task.parts, keys_));
    }
    write_fields(task.note, note);
    return items();
  }

 private:
  // Computes the slopes of the rows with the current weights, into slopes_.  Returns the sum of the losses.
  double find_slopes() {
    const std::uint32_t outputs = all_->outputs();
    slopes_ = linear::links_of(
        training_.rows, {weights_.numbers(), std::size_t{outputs} * SvrgStep::kWidth, SvrgStep::kWidth}, outputs);
    return linear::with_loss(all_->settings.loss, outputs, [&](auto loss) {
      double losses = 0;
      for (std::size_t r = 0; r < training_.rows.size(); ++r) {
        const double weight = training_.weights.empty() ? 1 : training_.weights[r];
        losses += weight * loss.slopes(std::span(slopes_).subspan(r * outputs, outputs), training_.targets[r]);
      }
      return losses;
    });
  }
  void add_gradient(double* parts) const {
    const std::uint32_t outputs = all_->outputs();
    const std::size_t width = std::size_t{outputs} * SvrgStep::kWidth + 1;
    for (const std::uint32_t key : keys_) {
      parts[key * width + 2] = pass_.scale(key).step;
      parts[key * width + width - 1] = 1;
    }
    for (std::size_t r = 0; r < training_.rows.size(); ++r) {
      const double weight = training_.weights.empty() ? 1 : training_.weights[r];
      for (const Entry& entry : training_.rows[r])
        for (std::uint32_t k = 0; k < outputs; ++k)
          parts[entry.key * width + k * SvrgStep::kWidth + 1] +=
              weight * slopes_[r * outputs + k] * static_cast<double>(entry.value);
    }
  }
  // Returns whether the weights have stayed finite.
  bool take_passes(double rate_share, const OpenParts& parts, Random& random) {
    const Settings& settings = all_->settings;
    std::vector<std::uint32_t> order;
    for (int i = 0; i < kPasses; ++i) append_pass(training_.rows.size(), random, order);
    const std::span<const double> table = weights_.numbers();
    pass_.run_from(slopes_, settings.rate * rate_share / largest_curvature(settings.loss), training_, order, table);
    const auto in_bounds = [&](std::uint32_t key) {
      const std::span<const double> state = pass_.state(key);
      return std::all_of(state.begin(), state.end(), [](double number) { return std::abs(number) <= kLargestWeight; });
    };
    if (!std::all_of(pass_.touched().begin(), pass_.touched().end(), in_bounds)) return false;
    for (const std::uint32_t key : pass_.touched()) {
      const std::span<double> part = parts[key];
      for (std::uint32_t i = 0; i + 1 < part.size(); i += SvrgStep::kWidth)
        part[i] = pass_.state(key)[i] - table[key * (part.size() - 1) + i];
      part.back() = 1;
    }
    return true;
  }

  LocalPass pass_;
  std::vector<std::uint32_t> keys_;  // of the shard's rows
  std::vector<double> slopes_;       // row after row, at the last gradient; none in a resumed job
};

}  // namespace

std::unique_ptr<Push> svrg_push(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training,
                                ShardRows held_out) {
  return std::make_unique<SvrgPush>(shard, std::move(all), training, std::move(held_out));
}

}  // namespace rota::sgd
