// apps/linear/newton.cc -- Newton's method: shards with gradient and curvature of their rows' losses, products with
// their Hessian, and the losses along a line; and the pull that makes the steps from these, for each output separately.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "apps/linear/solvers.h"
#include "apps/linear_models/losses.h"
#include "apps/linear_models/ordered_sum.h"

namespace rota::optimum {
namespace {

// With few features a gradient round computes the whole Hessian, and no products with it are needed.
bool has_whole_hessian(Key keys, std::uint32_t outputs) {
  constexpr Key kMostNumbers = Key{1} << 19;
  return keys <= kMostNumbers && keys * keys * outputs <= kMostNumbers;
}

// The points of a line search, as shares of the step.  All are evaluated in one round, so they are fewer if losses are
// expensive.
std::span<const double> shares_of_step(Loss loss) {
  static constexpr double kMany[] = {1,    0.8,  0.6,  0.45,  0.33,  0.25,  0.17,  0.12,
                                     0.08, 0.05, 0.03, 0.016, 0.008, 0.004, 0.001, 0.0001},
                          kFew[] = {1, 0.5, 0.125, 1.0 / 64};
  if (loss == Loss::logistic) return kFew;
  return kMany;
}

// The sums over the rows in a gradient's note, for each output: the smoothed loss, the loss, the term of the dual
// objective.
enum GradientNote : std::size_t { kSmoothed, kPrimal, kDual, kGradientNotes };

// The table has for each output a weight and a direction.  A part has for each output the gradient and the diagonal of
// the Hessian, or the product of the Hessian with the direction; sums over the rows.  After them a gradient has for
// each output the Hessian, where the part of the earlier of two entries of a row has their term; at its end it has the
// scale of a squared gradient (FeatureScale::step), then a 1.  The note of a search has for each output the loss at
// each of shares_of_step().
class NewtonPush final : public SolverPush {
 public:
  NewtonPush(const Settings& settings, linear::ShardData data)
      : SolverPush(settings, std::move(data)),
        part_width_(newton_part_width(all_->keys, outputs_)),
        whole_(has_whole_hessian(all_->keys, outputs_)) {
    if (settings.loss == Loss::hinge) multipliers_.resize(training_.rows.size() * outputs_);
  }

  std::uint64_t push(const SharedTask& task, Random&) override {
    const auto plan = task.argument.as<Plan>();
    double* const parts = begin_parts(task.parts);
    const auto sums_with = [&](const auto& loss) {
      if (plan.next == Step::search) return search(loss, plan.step_share);
      if (plan.next == Step::gradient) return gradient(loss, parts);
      product(parts);
      return std::vector<double>();
    };
    const Loss loss = settings_.loss;
    write_fields(task.note, loss == Loss::squared         ? sums_with(linear::SmoothLoss<linear::SquaredLoss>())
                            : loss == Loss::squared_hinge ? sums_with(linear::SmoothLoss<linear::SquaredHingeLoss>())
                            : loss == Loss::hinge         ? sums_with(linear::SmoothedHinge{plan.sharpness})
                                                          : sums_with(linear::SmoothLoss<linear::LogisticLoss>()));
    return items();
  }
  void refresh(const Commit& commit) override {
    if (commit.argument.as<Plan>().next != Step::gradient || multipliers_.empty()) return;
    if (read_fields<Plan>(commit.reply).new_multipliers) multipliers_ = next_multipliers_;
  }

  void state(Archive& list) override {
    list(multipliers_);
    list.check(multipliers_.empty() || multipliers_.size() == training_.rows.size() * outputs_);
  }

 private:
  template <typename RowLoss>
  std::vector<double> gradient(const RowLoss& loss, double* parts) {
    const std::vector<double> links = this->links(0);
    curvatures_.resize(links.size());
    if (RowLoss::kHasMultipliers) next_multipliers_.resize(links.size());
    std::vector<double> sums(kGradientNotes * outputs_), slopes(outputs_);
    for (const std::uint32_t key : keys_) {
      double* const end = parts + (key + std::size_t{1}) * part_width_;
      end[-2] = all_->scales[key].step;
      end[-1] = 1;
    }
    for (std::size_t r = 0; r < training_.rows.size(); ++r) {
      const double weight = training_.weight(r);
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
      for (const linear::Entry& entry : training_.rows[r]) {
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
    const std::span<const linear::Entry> row = training_.rows[r];
    for (std::uint32_t k = 0; k < outputs_; ++k) {
      const double curvature = curvatures_[r * outputs_ + k];
      if (curvature == 0) continue;
      for (std::size_t i = 0; i < row.size(); ++i) {
        double* const part = parts + row[i].key * part_width_ + 2 * outputs_ + k * all_->keys;
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
      for (const linear::Entry& entry : training_.rows[r]) {
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
      for (const double share : shares_of_step(settings_.loss))
        losses.push_back(linear::chunked_sum(training_.rows.size(), [&](std::size_t r) {
          const std::size_t i = r * outputs_ + k;
          const double y = linear::sign_of(training_.targets[r], k, outputs_);
          const double there = loss.value(links[i] + step_share * share * moves[i], y, multiplier(i));
          return there * training_.weight(r);
        }));
    return losses;
  }

  // The products of the rows with the weights (0), or with the directions (1).
  std::vector<double> links(std::size_t number) const {
    return linear::links_of(training_.rows, {weights_.numbers().subspan(number), 2 * std::size_t{outputs_}, 2},
                            outputs_);
  }
  double multiplier(std::size_t i) const { return multipliers_.empty() ? 0 : multipliers_[i]; }

  const std::size_t part_width_;
  const bool whole_;                                   // whether the Hessian is computed
  std::vector<double> multipliers_;                    // by row and output; only of the hinge loss
  std::vector<double> curvatures_, next_multipliers_;  // by row and output, as of the last gradient
};

constexpr std::uint32_t kMostProducts = 500;  // of one step
// Residual at which a step far from the optimum counts as solved, if a product is a round, and if it is not.
constexpr double kLoosest = 0.3, kLoosestWhole = 1e-4;
constexpr double kRounding = 1e-13;   // of the objective
constexpr double kLeastStep = 1e-12;  // share of a step: shorter ones have no effect
// Multipliers change when the part of the gap that the gradient causes is this share of it.
constexpr double kInnerShare = 0.1;
// Then the smoothed hinge becomes sharper, and the faster, the fewer Newton steps there were between two changes; and
// less sharp if there were many.
constexpr std::uint32_t kFewSteps = 3, kManySteps = 8;
constexpr double kSharper = 2, kSharpest = 1e9;

// Each step solves H s = -g, more exactly near the optimum, and takes the share of it with the smallest objective.
// LIBLINEAR's solver of the same problems is a trust region method (Lin, Weng and Keerthi, "Trust region Newton method
// for large-scale logistic regression", JMLR 2008); the criterion is the same: the gradient is small compared with that
// at the beginning.
class NewtonPull final : public SolverPull {
 public:
  NewtonPull(const Settings& settings, const Facts& facts)
      : SolverPull(settings, facts),
        keys_(facts.count("keys")),
        whole_(has_whole_hessian(keys_, outputs_)),
        fits_(outputs_) {}

  void pull(const PullTask& task) override {
    const Step step = task.argument.as<Plan>().next;
    if (step == Step::gradient)
      gradient(task);
    else if (step == Step::product)
      product(task);
    else
      search(task);
    write_fields(task.reply, plan_);
  }

  // At the end of an epoch no step is in progress.
  void state(Archive& list) override {
    list(first_norms_, plan_, steps_);
    list.check(first_norms_.empty() || first_norms_.size() == outputs_);
  }

 private:
  // The step of one output; vectors are by key.
  struct Fit {
    double objective = 0, norm = 0;  // of the smooth part
    std::vector<double> gradient, diagonal, step, residual, direction;
    double energy = 0, first_energy = 0;  // of the residual, in units of the diagonal
    std::uint32_t products = 0;
    bool solving = false;
  };

  void gradient(const PullTask& task) {
    const std::vector<double> notes = sum_of_notes(task.notes, kGradientNotes * outputs_);
    const bool first = first_norms_.empty();
    plan_ = {.sharpness = plan_.sharpness, .step_share = plan_.step_share};
    for (std::uint32_t k = 0; k < outputs_; ++k) {
      Fit& fit = fits_[k];
      fit = {};
      for (auto* const vector : {&fit.gradient, &fit.diagonal, &fit.step, &fit.residual, &fit.direction})
        vector->resize(keys_);
      double squares = 0, penalty = 0;
      for (const PullEntry& entry : task.entries) {
        const double w = entry.value[2 * k], lambda = l2(entry.key);
        const double g = entry.sum[2 * k] / rows_ + lambda * w;
        const double diagonal = entry.sum[2 * k + 1] / rows_ + lambda;
        fit.gradient[entry.key] = g;
        fit.diagonal[entry.key] = diagonal;
        fit.residual[entry.key] = diagonal > 0 ? -g : 0;
        fit.direction[entry.key] = diagonal > 0 ? -g / diagonal : 0;
        fit.energy += fit.residual[entry.key] * fit.direction[entry.key];
        // In units of the feature's largest value, so that a column's unit does not matter.
        const double shards = entry.sum.back();
        squares += g * g * (shards > 0 ? entry.sum[entry.sum.size() - 2] / shards : 1);
        penalty += lambda / 2 * w * w;
      }
      fit.objective = notes[kGradientNotes * k + kSmoothed] / rows_ + penalty;
      fit.norm = std::sqrt(squares);
      if (first) first_norms_.push_back(std::min(fit.norm, most_));
      const double distance = first_norms_[k] > 0 ? fit.norm / first_norms_[k] : 0;
      plan_.distance = std::max(plan_.distance, distance);
      fit.first_energy = fit.energy;
      fit.solving = fit.energy > 0 && (settings_.solver == Solver::svm || distance > settings_.tolerance);
    }
    if (settings_.solver == Solver::svm) find_gap(task, notes);
    plan_.converged = plan_.distance <= settings_.tolerance;
    if (plan_.new_multipliers && !plan_.converged) return;  // the next round is a gradient with these
    plan_.new_multipliers = false;
    for (std::uint32_t k = 0; k < outputs_; ++k) {
      fits_[k].solving = fits_[k].solving && !plan_.converged;
      if (whole_) solve_whole(task, k);
    }
    plan_product_or_search(task);
  }
  void product(const PullTask& task) {
    std::vector<double> product(keys_);
    for (std::uint32_t k = 0; k < outputs_; ++k) {
      if (!fits_[k].solving) continue;
      for (const PullEntry& entry : task.entries)
        product[entry.key] = entry.sum[2 * k] / rows_ + l2(entry.key) * fits_[k].direction[entry.key];
      step_on(k, product);
    }
    plan_product_or_search(task);
  }
  void search(const PullTask& task) {
    const std::size_t count = shares_of_step(settings_.loss).size();
    const std::vector<double> losses = sum_of_notes(task.notes, outputs_ * count);
    plan_.next = Step::gradient;
    ++steps_;
    bool moved = false;
    for (std::uint32_t k = 0; k < outputs_; ++k)
      if (move(task, k, std::span(losses).subspan(k * count, count))) moved = true;
    // If almost all rows are classified with certainty there is hardly any curvature, and steps are far too long.
    plan_.step_share = moved ? 1 : plan_.step_share * shares_of_step(settings_.loss).back();
    plan_.stuck = !plan_.converged && plan_.step_share < kLeastStep;
  }
  // Computes the distance from the optimum, with --solver=svm; and whether the multipliers are to change.
  // The dual variables of the rows are minus the slopes, whose weights are w - g / l2.
  void find_gap(const PullTask& task, std::span<const double> notes) {
    double primal = 0, dual = 0, error = 0;
    for (std::uint32_t k = 0; k < outputs_; ++k) {
      primal += notes[kGradientNotes * k + kPrimal] / rows_;
      dual += notes[kGradientNotes * k + kDual] / rows_;
      for (const PullEntry& entry : task.entries) {
        const double w = entry.value[2 * k], g = fits_[k].gradient[entry.key], lambda = l2(entry.key);
        if (lambda > 0) {
          primal += lambda / 2 * w * w;
          dual -= (lambda * w - g) * (lambda * w - g) / (2 * lambda);
          error += g * g / (2 * lambda);
        } else {  // an unpenalised intercept, whose dual constraint holds except for this
          dual -= std::abs(g) * (1 + std::abs(w));
          error += std::abs(g) * (1 + std::abs(w));
        }
      }
    }
    plan_.distance = (primal - dual) / primal;
    plan_.new_multipliers =
        settings_.loss == Loss::hinge && error <= kInnerShare * std::max(primal - dual, settings_.tolerance * primal);
    if (!plan_.new_multipliers) return;
    const double change = steps_ <= kFewSteps ? kSharper : steps_ > kManySteps ? 1 / kSharper : 1;
    plan_.sharpness = std::min(kSharpest, plan_.sharpness * change);
    steps_ = 0;
  }
  // One step of conjugate gradients; `product` is that of the Hessian with the direction.
  void step_on(std::uint32_t k, std::span<const double> product) {
    Fit& fit = fits_[k];
    double curvature = 0, energy = 0;
    for (Key key = 0; key < keys_; ++key) curvature += fit.direction[key] * product[key];
    const double share = curvature > 0 ? fit.energy / curvature : 0;
    for (Key key = 0; key < keys_; ++key) {
      fit.step[key] += share * fit.direction[key];
      fit.residual[key] -= share * product[key];
      if (fit.diagonal[key] > 0) energy += fit.residual[key] * fit.residual[key] / fit.diagonal[key];
    }
    // Superlinear: the tolerance of a step is a smaller share near the optimum.
    const double loose = std::min(whole_ ? kLoosestWhole : kLoosest, std::sqrt(fit.norm / first_norms_[k]));
    fit.solving = share > 0 && energy > loose * loose * fit.first_energy && ++fit.products < kMostProducts;
    for (Key key = 0; key < keys_; ++key)
      if (fit.diagonal[key] > 0)
        fit.direction[key] = fit.residual[key] / fit.diagonal[key] + energy / fit.energy * fit.direction[key];
    fit.energy = energy;
  }
  // All steps, with the Hessian that came with the gradient.
  void solve_whole(const PullTask& task, std::uint32_t k) {
    std::vector<double> hessian(keys_ * keys_), product(keys_);
    for (const PullEntry& entry : task.entries) {
      const std::span<const double> sums = entry.sum.subspan(2 * outputs_ + k * keys_, keys_);
      for (Key key = 0; key < keys_; ++key) {
        hessian[entry.key * keys_ + key] += sums[key] / rows_;
        if (key != entry.key) hessian[key * keys_ + entry.key] += sums[key] / rows_;
      }
      hessian[entry.key * keys_ + entry.key] += l2(entry.key);
    }
    while (fits_[k].solving) {
      for (Key key = 0; key < keys_; ++key)
        product[key] = linear::ordered_sum(
            keys_, [&, row = &hessian[key * keys_]](std::size_t j) { return row[j] * fits_[k].direction[j]; });
      step_on(k, product);
    }
  }
  // Returns whether some share of the step lowers the objective.
  bool move(const PullTask& task, std::uint32_t k, std::span<const double> losses) {
    Fit& fit = fits_[k];
    double slope = 0, linear = 0, squares = 0;  // of the objective; of the penalty along the step
    for (const PullEntry& entry : task.entries) {
      const double step = fit.step[entry.key], lambda = l2(entry.key);
      slope += fit.gradient[entry.key] * step;
      linear += lambda * entry.value[2 * k] * step;
      squares += lambda * step * step;
    }
    double penalty = 0;
    for (const PullEntry& entry : task.entries) penalty += l2(entry.key) / 2 * entry.value[2 * k] * entry.value[2 * k];
    const std::span<const double> shares = shares_of_step(settings_.loss);
    const double rounding = kRounding * fit.objective;  // a smaller increase does not shorten the step
    double chosen = 0, least = fit.objective + 2 * rounding;
    for (std::size_t i = 0; i < shares.size() && slope < 0; ++i) {
      const double t = plan_.step_share * shares[i];
      const double there = losses[i] / rows_ + penalty + t * linear + t * t / 2 * squares;
      if (there >= least - rounding) continue;
      chosen = t;
      least = there;
    }
    for (const PullEntry& entry : task.entries) {
      entry.value[2 * k] += chosen * fit.step[entry.key];
      entry.value[2 * k + 1] = 0;
    }
    return chosen > 0;
  }
  // The next round: another product as long as one output is being solved.
  void plan_product_or_search(const PullTask& task) {
    const bool solving = std::ranges::any_of(fits_, &Fit::solving);
    plan_.next = solving ? Step::product : Step::search;
    for (const PullEntry& entry : task.entries)
      for (std::uint32_t k = 0; k < outputs_; ++k)
        entry.value[2 * k + 1] = !solving           ? fits_[k].step[entry.key]
                                 : fits_[k].solving ? fits_[k].direction[entry.key]
                                                    : 0;
  }

  const Key keys_;
  const bool whole_;                 // whether a gradient has the Hessian
  std::vector<double> first_norms_;  // of the gradients at the beginning
  std::uint32_t steps_ = 0;          // since the multipliers changed
  std::vector<Fit> fits_;
};

}  // namespace

std::uint32_t newton_part_width(Key keys, std::uint32_t outputs) {
  return outputs * (2 + (has_whole_hessian(keys, outputs) ? static_cast<std::uint32_t>(keys) : 0)) + 2;
}

std::unique_ptr<Push> newton_push(const Settings& settings, linear::ShardData data) {
  return std::make_unique<NewtonPush>(settings, std::move(data));
}

std::unique_ptr<Pull> newton_pull(const Settings& settings, const Facts& facts) {
  return std::make_unique<NewtonPull>(settings, facts);
}

}  // namespace rota::optimum
