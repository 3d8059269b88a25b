// apps/lda/pull.cc
#include "apps/lda/pull.h"

namespace rota::lda {

void LdaPull::evaluate(TableId table, Key key, std::span<const double> value, std::span<double> terms) const {
  if (table != kTotals || key < kFirstReplicated) return;
  for (const double count : value) {
    terms[kWordTerm] += beta_rise_(static_cast<std::uint64_t>(count));
    terms[kTokensTerm] += count;
  }
}

}  // namespace rota::lda
