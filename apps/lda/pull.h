// apps/lda/pull.h -- the third step: totals and replicated words are plain sums.
#pragma once
#include "apps/lda/log_likelihood.h"
#include "apps/lda/settings.h"
#include "rota/pull.h"

namespace rota::lda {

class LdaPull final : public AddPull {
 public:
  explicit LdaPull(const Settings& settings) : beta_rise_(settings.beta) {}

  // A replicated word adds to the terms as a slice's words do (LdaPush::evaluate).
  void evaluate(TableId table, Key key, std::span<const double> value, std::span<double> terms) const override;

 private:
  LogGammaRise beta_rise_;
};

}  // namespace rota::lda
