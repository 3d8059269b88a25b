// apps/sgd/exact/newton_pull.h -- Newton's method by conjugate gradients, for each output separately.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/sgd/exact/plan.h"
#include "apps/sgd/settings.h"
#include "rota/fields.h"
#include "rota/pull.h"

namespace rota::sgd {

// Each step solves H s = -g, more exactly near the optimum, and takes the share of it with the smallest objective.
// LIBLINEAR's solver of the same problems is a trust region method (Lin, Weng and Keerthi, "Trust region Newton method
// for large-scale logistic regression", JMLR 2008); the criterion is the same: the gradient is small compared with that
// at the beginning.
class NewtonPull final : public SavesFields<Pull, NewtonPull> {
 public:
  // `most`: an upper limit for the gradient at the beginning (most_of_first_gradient()).
  NewtonPull(const Settings& settings, std::uint32_t outputs, std::uint64_t rows, Key keys, double most)
      : settings_(settings), rows_(static_cast<double>(rows)), keys_(keys), outputs_(outputs), most_(most) {}

  void pull(const PullTask& task) override;
  void evaluate(TableId, Key key, std::span<const double> value, Terms terms) const override {
    add_penalty(settings_, key, value, outputs_, terms);
  }

  // At the end of an epoch no step is in progress.
  void fields(auto& list) {
    list(first_norms_, plan_, steps_);
    list.check(first_norms_.empty() || first_norms_.size() == outputs_);
  }

 private:
  // The step of one output; vectors are by key.
  struct Fit {
    double objective = 0, norm = 0;  // of the smooth part
    std::vector<double> gradient, diagonal, step, residual;
    double energy = 0, first_energy = 0;  // of the residual, in units of the diagonal
    std::uint32_t products = 0;
    bool solving = false;
  };

  void gradient(const PullTask& task);
  void product(const PullTask& task);
  void search(const PullTask& task);
  // Computes the distance from the optimum, with --optimizer=svm; and whether the multipliers are to change.
  void find_gap(const PullTask& task, std::span<const double> notes);
  void begin_solving(const PullTask& task, std::uint32_t k);
  // One step of conjugate gradients; `product` is that of the Hessian with the direction, by key.
  void step_on(const PullTask& task, std::uint32_t k, std::span<const double> product);
  // All steps, with the Hessian that came with the gradient.
  void solve_whole(const PullTask& task, std::uint32_t k);
  // Returns whether some share of the step lowers the objective.
  bool move(const PullTask& task, std::uint32_t k, std::span<const double> losses);
  double l2(Key key) const { return bears_penalty(settings_, key) ? settings_.l2 : 0; }
  // The next round: another product as long as one output is being solved.
  void plan_product_or_search(const PullTask& task);

  Settings settings_;
  double rows_;
  Key keys_;
  std::uint32_t outputs_;
  double most_;
  std::vector<double> first_norms_;  // of the gradients at the beginning
  Plan plan_;
  std::uint32_t steps_ = 0;  // since the multipliers changed
  std::vector<Fit> fits_;
};

}  // namespace rota::sgd
