// apps/lasso/by_rows/push.cc -- the second step when shards are ranges of rows: f_3 of figure 6 of the STRADS paper.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "apps/lasso/by_rows/block_dots.h"
#include "apps/lasso/by_rows/hooks.h"
#include "apps/lasso/by_rows/messages.h"
#include "apps/lasso/fit_sequence.h"
#include "apps/linear_models/logistic_loss.h"
#include "apps/linear_models/ordered_sum.h"

namespace rota::lasso {
namespace {

// A shard's rows in the current fit: weights, predictions, slopes of the loss.
class RowsPush final : public SharedPush {
 public:
  RowsPush(const RowSettings& settings, std::shared_ptr<const Columns> columns, RowNumbers rows,
           std::vector<std::uint32_t> folds, const ClassLabels& classes)
      : settings_(settings),
        matrix_(std::move(columns)),
        dots_(matrix_),
        rows_(std::move(rows)),
        folds_(std::move(folds)),
        classes_(classes),
        coefficients_(matrix_.columns()),
        weights_(matrix_.rows()),
        predictions_(matrix_.rows()),
        slopes_(matrix_.rows()) {
    if (rows_.weights.empty()) rows_.weights.assign(matrix_.rows(), 1.0);
    if (settings.has_classes()) rows_.response = coded(std::move(rows_.response), classes_);
    set_weights();
  }

  std::uint64_t items() const override { return matrix_.entries(); }

  std::uint64_t push(const SharedTask& task, Random&) override {
    const auto argument = task.argument.as<RowsStep>();
    switch (argument.step) {
      case Step::start:
        write_fields(task.note, begin(argument.fold));
        return items();
      case Step::screen:
        if (argument.scheduler != 0) return 0;
        write_fields(task.note, look());
        return items();
      case Step::update:
        return update(task);
      default:
        return 0;
    }
  }

  void refresh(const Commit& commit) override {
    const Step step = commit.argument.as<RowsStep>().step;
    if (step == Step::update) return change(commit.deltas);
    if (step == Step::start) {
      const auto shape = read_fields<RowsShape>(commit.reply);
      total_ = shape.weight;
      set_weights();
      shift(shape.shifts);
    }
    if (step != Step::start && step != Step::undo) return;
    set(commit.deltas);
    predict();
  }

  void evaluate(Terms terms) const override { terms["loss"] += loss(); }

  // An epoch ends with predictions computed from scratch, so only the coefficients must be saved.
  void state(Archive& list) override { list.reads() ? restore(*list.reader()) : save(*list.writer()); }
  void save(Writer& out) const {
    Archive list(out);
    list(fold_, total_, intercept_, shifts_);
    put_nonzeros(coefficients_, out);
  }
  void restore(Reader& in) {
    Shifts shifts;
    Archive list(in);
    list(fold_, total_, intercept_, shifts);
    if (!(total_ > 0) || !in.ok()) return in.fail();
    shift(shifts);
    get_nonzeros(in, coefficients_);
    set_weights();
    predict();
  }
  bool restores_in_place() const override { return true; }

 private:
  // The partial sums z_j = sum_i x_ij g_i over this shard's rows, and how the columns of each block interfere.
  std::uint64_t update(const SharedTask& task) {
    const std::span<const double> g = slopes_;
    const auto slope = [g](std::size_t i) { return g[i]; };
    std::uint64_t visited = 0;
    for (const Entry& entry : task.entries) {
      const auto j = static_cast<std::uint32_t>(entry.key);
      entry.part[0] = entry.key == kIntercept ? ordered_sum(g.size(), slope) : matrix_.dot(j, g);
      visited += entry.key == kIntercept ? 0 : matrix_.entries(j);
    }
    std::size_t at = 0;
    for (const std::uint32_t size : task.blocks) {
      dots_.add(task.entries.subspan(at, size), 1, weights_);
      at += size;
    }
    return visited;
  }

  bool held_out(std::size_t i) const { return fold_ != 0 && folds_[i] == fold_; }

  void set_weights() {
    for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] = held_out(i) ? 0 : rows_.weights[i] / total_;
  }

  void add_moments(RowsSums& sums) const {
    for (std::uint32_t j = 0; j < matrix_.columns(); ++j) {
      const auto each = [&](const auto& take) {
        matrix_.each(j, [&](std::uint32_t row, double x) { take(weights_[row], x); });
      };
      const Moments& moments = sums.columns.emplace_back(column_moments(weights_.size(), sums.weight, each));
      if (moments.centred_square > kLeastSquare || moments.sum * moments.sum > kLeastSquare * sums.weight) continue;
      const double largest = largest_weighted(each);
      if (largest == 0) continue;
      sums.tiny.push_back(j);
      sums.largest.push_back(largest);
    }
  }

  // Starts with the rows outside of a fold (0: all), and returns their sums; the weights are as given until they are
  // divided by their sum over all shards.
  RowsSums begin(std::uint32_t fold) {
    fold_ = fold;
    total_ = 1;
    set_weights();
    RowsSums sums;
    sums.rows = static_cast<double>(weights_.size());
    sums.classes = classes_;
    sums.weight = ordered_sum(weights_.size(), [this](std::size_t i) { return weights_[i]; });
    sums.response = ordered_sum(weights_.size(), [this](std::size_t i) { return weights_[i] * rows_.response[i]; });
    for (std::size_t i = 0; i < weights_.size(); ++i)
      sums.largest_response = std::max(sums.largest_response, weights_[i] > 0 ? std::abs(rows_.response[i]) : 0);
    add_moments(sums);
    if (settings_.loss == Loss::squared || !settings_.intercept) return sums;
    std::vector<double> positive(weights_.size());
    for (std::size_t i = 0; i < weights_.size(); ++i) positive[i] = rows_.response[i] > 0 ? weights_[i] : 0;
    sums.positive.resize(matrix_.columns());
    matrix_.dot_all(positive, sums.positive);
    return sums;
  }

  // Subtracts these numbers from columns.
  void shift(const Shifts& shifts) {
    if (shifts.columns == shifts_.columns && shifts.by == shifts_.by) return;
    for (const Key column : shifts.columns)
      if (column >= matrix_.columns()) throw_damaged();
    shifts_ = shifts;
    matrix_.shift(shifts_);
  }

  void set(std::span<const Delta> deltas) {
    for (const Delta& delta : deltas)
      (delta.key == kIntercept ? intercept_ : coefficients_[delta.key]) = delta.value[0];
  }

  // Sets coefficients, and updates predictions and slopes by the changes.
  void change(std::span<const Delta> deltas) {
    set(deltas);
    std::size_t touched = 0;
    for (const auto& [key, value, change] : deltas) {
      if (change[0] == 0) continue;
      if (key == kIntercept) {
        for (double& prediction : predictions_) prediction += change[0];
        touched += predictions_.size();
      } else {
        matrix_.axpy(static_cast<std::uint32_t>(key), change[0], predictions_);
        touched += matrix_.entries(static_cast<std::uint32_t>(key));
      }
    }
    if (touched >= predictions_.size()) {
      for (std::size_t i = 0; i < slopes_.size(); ++i) set_slope(i);
      return;
    }
    for (const auto& [key, value, change] : deltas)
      if (change[0] != 0)
        matrix_.each(static_cast<std::uint32_t>(key), [this](std::uint32_t row, double) { set_slope(row); });
  }

  // From scratch.
  void predict() {
    std::fill(predictions_.begin(), predictions_.end(), intercept_);
    for (std::uint32_t j = 0; j < coefficients_.size(); ++j)
      if (coefficients_[j] != 0) matrix_.axpy(j, coefficients_[j], predictions_);
    for (std::size_t i = 0; i < slopes_.size(); ++i) set_slope(i);
  }

  void set_slope(std::size_t i) {
    const double y = rows_.response[i], f = predictions_[i];
    slopes_[i] = weights_[i] * (settings_.loss == Loss::squared ? y - f : y * logistic_row(y * f).p);
  }

  double loss_of(std::size_t i) const {
    const double y = rows_.response[i], f = predictions_[i];
    return settings_.loss == Loss::squared ? (y - f) * (y - f) / 2 : logistic_row(y * f).loss;
  }

  // The sum of w loss(y, f).
  double loss() const {
    return ordered_sum(weights_.size(),
                       [this](std::size_t i) { return weights_[i] == 0 ? 0 : weights_[i] * loss_of(i); });
  }

  // Computes predictions from scratch, so that rounding does not accumulate, and sums over rows and columns.
  RowsSlopes look() {
    predict();
    RowsSlopes slopes;
    slopes.loss = loss();
    slopes.slope = ordered_sum(slopes_.size(), [this](std::size_t i) { return slopes_[i]; });
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const double y = rows_.response[i], f = predictions_[i], w = weights_[i];
      if (held_out(i)) {
        slopes.held_out += rows_.weights[i] * loss_of(i);
        slopes.held_out_weight += rows_.weights[i];
      } else if (settings_.loss == Loss::squared) {
        slopes.square += w * (y - f) * (y - f);
      } else {
        const LogisticRow row = logistic_row(y * f);
        slopes.square += w * (row.p / row.rest);
        (y > 0 ? slopes.margin_positive : slopes.margin_negative) += w * y * f;
      }
    }
    slopes.gradient.resize(coefficients_.size());
    matrix_.dot_all(slopes_, slopes.gradient);
    return slopes;
  }

  RowSettings settings_;
  HeldColumns matrix_;
  BlockDots dots_;
  Shifts shifts_;                     // of matrix_
  RowNumbers rows_;                   // for the logistic loss with y = -1 or 1 as the response
  std::vector<std::uint32_t> folds_;  // of every row; empty without folds
  ClassLabels classes_;               // of the response of all shards
  std::uint32_t fold_ = 0;            // whose rows are held out; 0: none
  double total_ = 1;                  // the divisor of the weights
  double intercept_ = 0;
  std::vector<double> coefficients_;
  std::vector<double> weights_;      // w_i, 0 for rows that are held out
  std::vector<double> predictions_;  // f
  std::vector<double> slopes_;       // g_i: w_i times minus the slope of the loss at f_i
};

}  // namespace

std::vector<std::unique_ptr<Push>> rows_pushes(const RowSettings& settings, std::uint64_t seed, Design data,
                                               std::vector<std::shared_ptr<const Columns>>& columns) {
  const auto folds = folds_of_rows(data.common.rows, settings.folds, seed);
  std::vector<std::unique_ptr<Push>> shards;
  for (DesignShard& one : data.hosted) {
    std::vector<std::uint32_t> its;
    if (!folds.empty())
      its.assign(&folds[one.columns.first_row()], &folds[one.columns.first_row()] + one.columns.rows());
    columns.push_back(std::make_shared<const Columns>(std::move(one.columns)));
    shards.push_back(std::make_unique<RowsPush>(settings, columns.back(), std::move(one.numbers), std::move(its),
                                                data.common.classes));
  }
  return shards;
}

}  // namespace rota::lasso
