// apps/lda/pull.h -- the third step: totals, replicated words and scores are sums of the shards' parts; the priors are
// learned from the notes of all shards.
#pragma once
#include "apps/lda/settings.h"
#include "rota/pull.h"

namespace rota::lda {

class LdaPull final : public AddPull {
 public:
  explicit LdaPull(const Settings& settings) : symmetric_alpha_(settings.symmetric_alpha) {}

  // Throws std::runtime_error if a note is wrong.
  void pull(const PullTask& task) override;

 private:
  void learn(const PullTask& task) const;

  bool symmetric_alpha_;
};

}  // namespace rota::lda
