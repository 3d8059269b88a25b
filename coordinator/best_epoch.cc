#include "coordinator/best_epoch.h"

namespace rota {

bool BestEpoch::add(Epoch epoch, double valid, Score::Better better) {
  if (!follows()) return false;
  const bool is_best = !best_ || (better == Score::Better::smaller ? valid < best_->valid : valid > best_->valid);
  if (is_best)
    best_ = BestSoFar{epoch, valid, 0};
  else
    ++best_->since;
  return is_best;
}

}  // namespace rota
