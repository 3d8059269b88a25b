// rota/pull.h -- the third step: the summed parts become the committed value.
#pragma once
#include <span>

#include "rota/round.h"
#include "rota/types.h"

namespace rota {

// Lives in a partition of the store.  `pull` is the STRADS paper's aggregate-and-commit; reading rows is
// called read in Rota.  const hooks may be called from any thread.
class Pull {
 public:
  virtual ~Pull() = default;

  // Rewrites the value of every entry.
  virtual void pull(const PullTask&) const = 0;
  // Adds a row's share of an evaluation.
  virtual void evaluate(TableId, Key, std::span<const double> /*value*/, std::span<double> /*terms*/) const {}
};

// The commonest pull: value += sum.
class AddPull : public Pull {
 public:
  void pull(const PullTask& task) const override {
    for (const PullEntry& entry : task.entries)
      for (std::size_t i = 0; i < entry.value.size(); ++i) entry.value[i] += entry.sum[i];
  }
};

}  // namespace rota
