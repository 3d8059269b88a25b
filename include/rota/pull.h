// rota/pull.h -- the third step: the summed parts become the committed value.
#pragma once
#include <algorithm>
#include <span>

#include "rota/round.h"
#include "rota/types.h"

namespace rota {

// Lives in a partition of the store; one object for each.  `pull` is the STRADS paper's aggregate-and-commit; reading
// rows is called read in Rota.  The host calls one object from one thread at a time, though not always the same.
class Pull {
 public:
  virtual ~Pull() = default;

  // Rewrites the value of every entry.  Called in the order of the rounds.
  virtual void pull(const PullTask&) = 0;
  // Adds a row's share of an evaluation.
  virtual void evaluate(TableId, Key, std::span<const double> /*value*/, std::span<double> /*terms*/) const {}

  // What pull() depends on beyond rows and parts, at the end of an epoch.  restore() may be given wrong bytes: it then
  // calls Reader::fail.
  virtual void save(Writer&) const {}
  virtual void restore(Reader&) {}
};

// The commonest pull: value += sum.
class AddPull : public Pull {
 public:
  void pull(const PullTask& task) override {
    for (const PullEntry& entry : task.entries)
      for (std::size_t i = 0; i < entry.value.size(); ++i) entry.value[i] += entry.sum[i];
  }
};

// value = sum: the shards' parts together are the new row.
class AssignPull : public Pull {
 public:
  void pull(const PullTask& task) override {
    for (const PullEntry& entry : task.entries) std::copy_n(entry.sum.begin(), entry.value.size(), entry.value.begin());
  }
};

}  // namespace rota
