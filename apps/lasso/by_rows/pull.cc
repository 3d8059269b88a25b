// apps/lasso/by_rows/pull.cc -- the third step when shards are ranges of rows: f_4 of figure 6 of the STRADS paper.
//
// Notation as in messages.h, and c_j = sum_i x_ij g_i.  Along the coefficients the loss is at most a quadratic form
// with the matrix h G, G_jk = sum_i w_i x_ij x_ik: it is that form for the squared loss and h = 1, and below it for the
// logistic loss and h = 1/4 (Boehning and Lindsay, "Monotonicity of quadratic-approximation algorithms", 1988).  The
// intercept is eliminated: if b_0 is always optimal, the form is the same with c_j - m_j sum_i g_i for c_j and
// G_jk - m_j m_k for G_jk, where m_j = sum_i w_i x_ij.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "apps/lasso/by_rows/hooks.h"
#include "apps/lasso/by_rows/messages.h"
#include "apps/lasso/duality.h"
#include "apps/lasso/fit_sequence.h"
#include "apps/linear_models/logistic_loss.h"

namespace rota::lasso {
namespace {

// The intercept of rows that are all of one class would be infinite.
constexpr double kMostMean = 1 - 1e-12;

// A block is done when the gain of a sweep is this share of the first one's, or after a maximal number of sweeps.
// Almost equal columns need hundreds, but sweeps need no exchange.
constexpr double kSolved = 1e-6;
constexpr int kSweepsMost = 200;

class RowsPull final : public Pull {
 public:
  RowsPull(const RowSettings& settings, std::uint32_t staleness) : settings_(settings), staleness_(staleness) {}

  void pull(const PullTask& task) override {
    const auto argument = task.argument.as<RowsStep>();
    penalty_ = settings_.penalty(argument.lambda);
    switch (argument.step) {
      case Step::start:
        return start(task, argument.fold);
      case Step::screen:
        return screen(task, argument.scheduler);
      case Step::update:
        return update(task);
      case Step::undo:
        for (std::size_t i = 0; i < task.entries.size(); ++i)
          of(task.entries[i].key) = task.entries[i].value[0] = argument.values.at(i);
        return;
      default:
        fit_.lambda = argument.lambda;
        return record_fit(
            task, [this] { return fit_; },
            [this](Key column) { return column == kIntercept ? intercept_of_data() : coefficient_[column]; });
    }
  }

  void evaluate(TableId table, Key key, std::span<const double> value, Terms terms) const override {
    if (table != kCoefficients || key == kIntercept || value[0] == 0) return;
    terms["penalty"] += penalty_of(penalty_, scale(key), value[0]);
    terms["nonzeros"] += 1;
  }

  void state(Archive& list) override {
    list(penalty_, intercept_, coefficient_, mean_, curvature_, scale_, positive_, shifts_);
    list(positive_weight_, weight_, null_pending_, fit_);
    const std::size_t columns = coefficient_.size();
    list.check(curvature_.size() == columns && mean_.size() == (settings_.intercept ? columns : 0) &&
               scale_.size() == (settings_.standardize ? columns : 0) &&
               positive_.size() == (settings_.intercept && settings_.loss == Loss::logistic ? columns : 0) &&
               std::ranges::all_of(shifts_.columns, [&](Key j) { return j < columns; }));
  }

 private:
  double h() const { return settings_.loss == Loss::squared ? 1 : 0.25; }
  double mean(Key j) const { return settings_.intercept ? mean_[j] : 0; }
  double scale(Key j) const { return settings_.standardize ? scale_[j] : 1; }
  // The intercept is that of the shifted columns.
  double& of(Key j) { return j == kIntercept ? intercept_ : coefficient_[j]; }
  // The best value of a coefficient if all others stay; `descent` = c_j - m_j sum g is the negative slope of the loss.
  double best(Key j, double descent) const {
    const double curvature = h() * curvature_[j], s = scale(j);
    if (curvature <= 0 || s <= 0) return 0;
    return soft_threshold(descent + curvature * coefficient_[j], penalty_.l1 * s) / (curvature + penalty_.l2 * s * s);
  }

  // b_j = S(sum of all z_j + G_jj b_j, lambda) / G_jj for a single coefficient; a block is minimised as a whole.
  void update(const PullTask& task) {
    std::span<const PullEntry> entries = task.entries.named();
    std::span<const std::uint32_t> blocks = task.blocks;
    const bool has_intercept = !entries.empty() && entries[0].key == kIntercept;
    // The intercept is in every round, so its sum of slopes lacks the effect of the last `staleness` rounds.
    const double slope = has_intercept ? entries[0].sum[0] / (1 + staleness_) : 0;
    if (has_intercept) {
      entries = entries.subspan(1);
      if (!blocks.empty()) blocks = blocks.subspan(1);
    }
    updates_ += entries.size();
    for (std::size_t at = 0, b = 0; at < entries.size(); ++b) {
      const std::size_t size = blocks.empty() ? 1 : blocks[b];
      minimise(entries.subspan(at, size), slope);
      at += size;
    }
    double shift = 0;  // of the mean of the predictions
    for (const auto& [j, sum, value] : entries) {
      shift += mean(j) * (coefficient_[j] - value[0]);
      value[0] = coefficient_[j];
    }
    if (has_intercept) intercept_ = task.entries[0].value[0] += slope / h() - shift;
  }

  // Minimises over the coefficients of a block, from the sums of its parts: that of the q-th entry is c_j, then G_jk
  // for the q entries before it.  `slope`: sum_i g_i, to the extent that the intercept compensates it.
  void minimise(std::span<const PullEntry> block, double slope) {
    descents_.clear();
    if (products_.size() < block.size()) products_.resize(block.size());
    for (std::size_t q = 0; q < block.size(); ++q) {
      const auto& [j, sum, value] = block[q];
      descents_.push_back(sum[0] - mean(j) * slope);
      products_[q].clear();
      for (std::size_t k = 0; k < q; ++k) {
        if (sum[1 + k] == 0) continue;
        products_[q].push_back({k, sum[1 + k]});
        products_[k].push_back({q, sum[1 + k]});
      }
    }
    double shift = 0;  // of the mean of the predictions, which the intercept compensates
    double first = 0;
    for (int sweep = 0; sweep < kSweepsMost; ++sweep) {
      double gain = 0;
      for (std::size_t q = 0; q < block.size(); ++q) {
        const Key j = block[q].key;
        const double now = best(j, descents_[q] + h() * mean(j) * shift), change = now - coefficient_[j];
        if (change == 0) continue;
        coefficient_[j] = now;
        descents_[q] -= change * h() * (curvature_[j] + mean(j) * mean(j));
        for (const Product& product : products_[q]) descents_[product.with] -= change * h() * product.value;
        shift += mean(j) * change;
        gain = std::max(gain, change * change * curvature_[j]);
      }
      if (sweep == 0) first = gain;
      if (block.size() == 1 || gain <= kSolved * first) return;
    }
  }

  // Begins with other rows, and no coefficient but the intercept.
  void start(const PullTask& task, std::uint32_t fold) {
    RowsSums all;
    for (const Bytes& note : task.notes) add(all, read_fields<RowsSums>(note));
    if (!(all.weight > 0)) refuse_no_weight(settings_.weights, fold);
    set_sums(all);
    check_sums(all);
    write_fields(task.reply, RowsShape{all.weight, curvature_, shifts_});
    for (const PullEntry& entry : task.entries) entry.value[0] = of(entry.key);
  }

  // Evaluates the fit.
  void screen(const PullTask& task, std::uint32_t scheduler) {
    if (scheduler == 0) {
      RowsSlopes all;
      for (const Bytes& note : task.notes) add(all, read_fields<RowsSlopes>(note));
      certificate_ = certify(all);
    }
    write_fields(task.reply, certificate_);
    task.reply_to = ReplyTo::schedule;
  }

  // A point theta of the dual whose sum is 0: its products x_j' theta are g c_j + mean m_j + positive p_j.
  struct DualPoint {
    double g = 1, mean = 0, positive = 0;
  };

  void set_sums(const RowsSums& all) {
    const std::size_t columns = all.columns.size();
    const double mean_response = all.response / all.weight;
    coefficient_.assign(columns, 0);
    mean_.resize(settings_.intercept ? columns : 0);
    scale_.resize(settings_.standardize ? columns : 0);
    curvature_.resize(columns);
    for (std::size_t j = 0; j < columns; ++j) {
      const Moments& moments = all.columns[j];
      const double m = moments.sum / all.weight, variance = moments.centred_square / all.weight;
      const double varying = varies(moments, all.weight) ? variance : 0;
      curvature_[j] = settings_.intercept ? varying : variance + m * m;
      if (settings_.intercept) mean_[j] = m;
      if (settings_.standardize) scale_[j] = std::sqrt(varying);
    }
    positive_ = all.positive;
    for (double& sum : positive_) sum /= all.weight;
    positive_weight_ = (1 + mean_response) / 2;
    for (std::size_t j = 0; j < mean_.size(); ++j)
      if (varies(all.columns[j], all.weight) && is_far_from_zero(all.columns[j], all.weight)) shift(j, mean_[j]);
    const double bounded = std::clamp(mean_response, -kMostMean, kMostMean);
    intercept_ = !settings_.intercept              ? 0
                 : settings_.loss == Loss::squared ? mean_response
                                                   : log_of((1 + bounded) / (1 - bounded));
    weight_ = all.weight;
    null_pending_ = true;
    fit_ = {.rows = all.rows, .columns = static_cast<double>(columns)};
    fit_.set_classes(all.classes);
  }

  // Subtracts this from the column from now on.
  void shift(Key j, double by) {
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

  double intercept_of_data() const {
    double intercept = intercept_;
    for (std::size_t k = 0; k < shifts_.columns.size(); ++k)
      intercept -= shifts_.by[k] * coefficient_[shifts_.columns[k]];
    return intercept;
  }

  void check_sums(const RowsSums& all) const {
    if (all.largest_response > 0 && all.largest_response * all.largest_response < kLeastSquare)
      refuse_tiny("the response", all.largest_response);
    for (std::size_t i = 0; i < all.tiny.size(); ++i) {
      const Moments& moments = all.columns[all.tiny[i]];
      const double m = moments.sum / all.weight;
      if (moments.centred_square / all.weight + m * m < kLeastSquare) refuse_tiny_column(all.tiny[i], all.largest[i]);
    }
  }

  // g itself, if there is no intercept.  For the squared loss g_i - w_i sum g.  For the logistic loss g_i / w_i must
  // have y_i's sign and be at most 1, so g is mixed with the point that has y_i w_i in the class with the smaller sum
  // of g.
  DualPoint dual_point(const RowsSlopes& slopes) const {
    const double sum = slopes.slope;
    if (!settings_.intercept || sum == 0) return {};
    if (settings_.loss == Loss::squared) return {1, -sum, 0};
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
  double gap(const RowsSlopes& slopes, const DualPoint& point, const PenaltyTerms& terms) const {
    const double sum = settings_.intercept ? slopes.slope : 0;
    if (settings_.loss == Loss::squared) return squared_gap(slopes.square - sum * sum, terms).gap + sum * sum / 2;
    const double a = terms.ratio > 1 ? 1 / terms.ratio : 1, share = 1 - point.g;
    const double margins = sum > 0 ? slopes.margin_negative : slopes.margin_positive;
    const double scaled = std::min((1 - a) * slopes.loss, (1 - a) * (1 - a) / (2 * a) * slopes.square);
    return (1 - share) * scaled + share * (slopes.loss + a * margins) + terms.l2 / 2 * (1 - a) * (1 - a) +
           std::max(terms.l1 - a * terms.slope, 0.0);
  }

  RowsCertificate certify(const RowsSlopes& slopes) {
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
      certificate.columns.push_back(static_cast<std::uint32_t>(j));
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

  RowSettings settings_;
  std::uint32_t staleness_;
  Penalty penalty_;  // of the current fit
  double intercept_ = 0;
  std::vector<double> coefficient_;
  Shifts shifts_;                  // subtracted from columns far from 0
  std::vector<double> mean_;       // m_j, if there is an intercept
  std::vector<double> curvature_;  // G_jj, or of the column about its mean
  std::vector<double> scale_;      // standard deviations, if columns are standardised
  std::vector<double> positive_;   // p_j = sum_i w_i x_ij over rows with y > 0: logistic loss with an intercept
  double positive_weight_ = 0;     // sum of w over these rows
  double weight_ = 0;              // sum of the weights of the fit's rows, as in the data
  bool null_pending_ = false;      // the next screen evaluates the fit without coefficients
  std::uint64_t updates_ = 0;      // since the last screen
  FitRow fit_;                     // of the last screen
  RowsCertificate certificate_;    // of the last screen

  // Of the block that is minimised, with memory from block to block.
  struct Product {
    std::size_t with;  // place in the block
    double value;      // G_jk
  };
  std::vector<double> descents_;  // the slope of the loss along each coefficient, negated
  std::vector<std::vector<Product>> products_;
};

}  // namespace

std::unique_ptr<Pull> rows_pull(const RowSettings& settings, std::uint32_t staleness) {
  return std::make_unique<RowsPull>(settings, staleness);
}

}  // namespace rota::lasso
