#include "apps/lda/held_out/early_stop.h"

#include <limits>

namespace rota::lda {

bool EarlyStop::add(const HeldOutScore& score) {
  const bool best = scores_ == 0 || score.log_per_token() > best_;
  ++scores_;
  since_best_ = best ? 0 : since_best_ + 1;
  if (best) best_ = score.log_per_token();
  return best;
}

void EarlyStop::save(Writer& out) const {
  out.put_varint(scores_);
  out.put_varint(since_best_);
  out.put(best_);
}

void EarlyStop::restore(Reader& in) {
  scores_ = in.get_bounded<std::uint32_t>(std::numeric_limits<std::uint32_t>::max());
  since_best_ = in.get_bounded<std::uint32_t>(scores_);
  best_ = in.get<double>();
  if (!(best_ <= 0 && best_ >= std::numeric_limits<double>::lowest())) in.fail();
}

}  // namespace rota::lda
