#include "apps/lasso/by_rows/model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "apps/lasso/fit_sequence.h"
#include "apps/linear/logistic_loss.h"

namespace rota::lasso {

using namespace linear;
namespace {

// The intercept of rows that are all of one class would be infinite.
constexpr double kMostMean = 1 - 1e-12;

}  // namespace

void RowsModel::start(const PullTask& task) {
  RowsSums all;
  for (const Bytes& note : task.notes) add(all, read_fields<RowsSums>(note));
  if (!(all.weight > 0)) refuse_no_weight(weights_, argument_of(task.argument).fold);
  set_sums(all);
  check_sums(all);
  write_fields(task.reply, RowsShape{all.weight, curvature_, shifts_});
  for (const PullEntry& entry : task.entries) entry.value[0] = coefficient(entry.key);
}

void RowsModel::set_sums(const RowsSums& all) {
  const std::size_t columns = all.columns.size();
  const double mean_response = all.response / all.weight;
  coefficient_.assign(columns, 0);
  mean_.resize(has_intercept_ ? columns : 0);
  scale_.resize(standardize_ ? columns : 0);
  curvature_.resize(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    const Moments& moments = all.columns[j];
    const double m = moments.sum / all.weight, variance = moments.centred_square / all.weight;
    const double varying = varies(moments, all.weight) ? variance : 0;
    curvature_[j] = has_intercept_ ? varying : variance + m * m;
    if (has_intercept_) mean_[j] = m;
    if (standardize_) scale_[j] = std::sqrt(varying);
  }
  positive_ = all.positive;
  for (double& sum : positive_) sum /= all.weight;
  positive_weight_ = (1 + mean_response) / 2;
  for (std::size_t j = 0; j < mean_.size(); ++j)
    if (varies(all.columns[j], all.weight) && is_far_from_zero(all.columns[j], all.weight)) shift(j, mean_[j]);
  const double bounded = std::clamp(mean_response, -kMostMean, kMostMean);
  intercept_ = !has_intercept_ ? 0 : loss_ == Loss::squared ? mean_response : log_of((1 + bounded) / (1 - bounded));
  weight_ = all.weight;
  null_pending_ = true;
  fit_ = {.rows = all.rows, .columns = static_cast<double>(columns)};
  fit_.set_classes(all.classes);
}

// Subtracts this from the column from now on.
void RowsModel::shift(Key j, double by) {
  mean_[j] -= by;
  if (!positive_.empty()) positive_[j] -= by * positive_weight_;
  const auto at = std::lower_bound(shifts_.columns.begin(), shifts_.columns.end(), j);
  const auto place = shifts_.by.begin() + (at - shifts_.columns.begin());
  if (at != shifts_.columns.end() && *at == j) {
    *place += by;
  } else {
    shifts_.columns.insert(at, j);
    shifts_.by.insert(place, by);
  }
}

double RowsModel::intercept_of_data() const {
  double intercept = intercept_;
  for (std::size_t k = 0; k < shifts_.columns.size(); ++k)
    intercept -= shifts_.by[k] * coefficient_[shifts_.columns[k]];
  return intercept;
}

void RowsModel::check_sums(const RowsSums& all) const {
  if (all.largest_response > 0 && all.largest_response * all.largest_response < kLeastSquare)
    refuse_tiny("the response", all.largest_response);
  for (std::size_t i = 0; i < all.tiny.size(); ++i) {
    const Moments& moments = all.columns[all.tiny[i]];
    const double m = moments.sum / all.weight;
    if (moments.centred_square / all.weight + m * m < kLeastSquare) refuse_tiny_column(all.tiny[i], all.largest[i]);
  }
}

void RowsModel::screen(const PullTask& task) {
  if (!repeats(task.argument)) {
    RowsSlopes all;
    for (const Bytes& note : task.notes) add(all, read_fields<RowsSlopes>(note));
    certificate_ = certify(all);
  }
  write_fields(task.reply, certificate_);
}

void RowsModel::undo(const PullTask& task) {
  for (std::size_t i = 0; i < task.entries.size(); ++i)
    set(task.entries[i].key, task.entries[i].value[0] = task.argument[kArgumentWidth + i]);
}

void RowsModel::record(const PullTask& task) {
  fit_.lambda = argument_of(task.argument).lambda;
  record_fit(
      task, [this] { return fit_; },
      [this](Key column) { return column == kIntercept ? intercept_of_data() : coefficient(column); });
}

double RowsModel::best(Key j, double descent) const {
  const double curvature = h() * curvature_[j], s = scale(j);
  if (curvature <= 0 || s <= 0) return 0;
  return soft_threshold(descent + curvature * coefficient_[j], penalty_.l1 * s) / (curvature + penalty_.l2 * s * s);
}

// g itself, if there is no intercept.  For the squared loss g_i - w_i sum g.  For the logistic loss g_i / w_i must have
// y_i's sign and be at most 1, so g is mixed with the point that has y_i w_i in the class with the smaller sum of g.
RowsModel::DualPoint RowsModel::dual_point(const RowsSlopes& slopes) const {
  const double sum = slopes.slope;
  if (!has_intercept_ || sum == 0) return {};
  if (loss_ == Loss::squared) return {1, -sum, 0};
  const double lacking = sum > 0 ? 1 - positive_weight_ : positive_weight_;
  const double share = std::abs(sum) / (std::abs(sum) + lacking);
  return {1 - share, sum > 0 ? -share : 0, share};
}

// See duality.h, whose E(a) is here:
//   squared: A/2 (1 - a)^2 + (sum g)^2 / 2, with A = sum_i w_i (r_i - sum g)^2;
//   logistic: KL is convex in its first argument, and 0 with slope 0 at p, so
//     KL(a p || p) <= min((1 - a) KL(0 || p), (1 - a)^2 / (2 a) p / (1 - p)),   KL(0 || p) = loss,
//     KL(a || p) <= a KL(1 || p) + (1 - a) KL(0 || p) = loss + a y f,
//   and for the mixture at most the mixture of these.
double RowsModel::gap(const RowsSlopes& slopes, const DualPoint& point, const PenaltyTerms& terms) const {
  const double sum = has_intercept_ ? slopes.slope : 0;
  if (loss_ == Loss::squared) return squared_gap(slopes.square - sum * sum, terms).gap + sum * sum / 2;
  const double a = terms.ratio > 1 ? 1 / terms.ratio : 1, share = 1 - point.g;
  const double margins = sum > 0 ? slopes.margin_negative : slopes.margin_positive;
  const double scaled = std::min((1 - a) * slopes.loss, (1 - a) * (1 - a) / (2 * a) * slopes.square);
  return (1 - share) * scaled + share * (slopes.loss + a * margins) + terms.l2 / 2 * (1 - a) * (1 - a) +
         std::max(terms.l1 - a * terms.slope, 0.0);
}

RowsCertificate RowsModel::certify(const RowsSlopes& slopes) {
  const DualPoint point = dual_point(slopes);
  if (slopes.gradient.size() != coefficient_.size()) throw_damaged();
  RowsCertificate certificate;
  certificate.all_columns = coefficient_.size();
  certificate.updates = std::exchange(updates_, 0);
  PenaltyTerms terms;
  std::vector<double> gains;
  double nonzeros = 0;
  for (Key j = 0; j < coefficient_.size(); ++j) {
    const double b = coefficient_[j], s = scale(j), c = slopes.gradient[j], ridge = penalty_.l2 * s * s * b;
    double in_dual = point.g * c + point.mean * mean(j);
    if (point.positive != 0) in_dual += point.positive * positive_[j];
    terms.ratio = std::max(terms.ratio, constraint_ratio(penalty_, s, b, in_dual));
    if (s > 0) certificate.steepest = std::max(certificate.steepest, std::abs(in_dual - ridge) / s);
    if (b != 0) {
      nonzeros += 1;
      terms.l1 += penalty_.l1 * s * std::abs(b);
      terms.l2 += ridge * b;
      terms.slope += b * (in_dual - ridge);
    }
    const double change = best(j, c - mean(j) * slopes.slope) - b;
    const double gain = std::abs(change) * std::sqrt(curvature_[j]);
    if (gain == 0) continue;
    certificate.columns.push_back(j);
    gains.push_back(gain);
    certificate.largest_gain = std::max(certificate.largest_gain, gain);
  }
  for (const double gain : gains) certificate.gains.push_back(static_cast<float>(gain / certificate.largest_gain));
  if (null_pending_) fit_.null_loss = slopes.loss;
  null_pending_ = false;
  certificate.objective = slopes.loss + terms.l1 + terms.l2 / 2;
  certificate.gap = gap(slopes, point, terms);
  certificate.null_objective = fit_.null_loss;
  certificate.intercept = intercept_;
  fit_.objective = certificate.objective;
  fit_.gap = certificate.gap;
  fit_.nonzeros = nonzeros;
  fit_.loss = slopes.loss;
  fit_.held_out = slopes.held_out_weight > 0 ? slopes.held_out / slopes.held_out_weight : 0;
  fit_.held_out_weight = slopes.held_out_weight / (slopes.held_out_weight + weight_);
  return certificate;
}

}  // namespace rota::lasso
