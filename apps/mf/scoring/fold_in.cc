#include "apps/mf/scoring/fold_in.h"

#include <algorithm>
#include <vector>

#include "apps/mf/als/row_solver.h"
#include "apps/mf/kernels.h"

namespace rota::mf {

FoldIn::FoldIn(const TrainedModel& model)
    : settings_(model.settings), form_(settings_, 0, 1 / model.penalty_scale), width_(model.items.width) {
  settings_.conjugate = false;
  for (std::size_t i = 0; i < model.items.size(); ++i) {
    const std::span<const float> q = model.items.row(i);
    items_.insert(items_.end(), q.begin(), q.begin() + settings_.rank);
    if (settings_.biases) items_.push_back(model.items.biases[i]);
  }
  if (settings_.implicit) gram({items_, 0}, form_, kernels().rows, gram_);
}

NewUser FoldIn::operator()(std::span<const Partner> ratings) const {
  RowSolver solver(settings_, form_, kernels().rows);
  const double times = settings_.by_rating ? static_cast<double>(ratings.size()) : 1;
  std::vector<double> row(form_.size);
  std::vector<Partner> own(ratings.begin(), ratings.end());
  if (settings_.implicit) add_up(own);
  solver.solve({items_, 0}, settings_.implicit ? gram_.data() : nullptr, own,
               settings_.penalty / form_.bias_times * times, row);
  NewUser user;
  user.factors.resize(width_);
  std::transform(row.begin(), row.begin() + settings_.rank, user.factors.begin(),
                 [](double f) { return static_cast<float>(f); });
  if (settings_.biases) user.bias = row.back();
  return user;
}

}  // namespace rota::mf
