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

// Calls f(sum, value) for rows whose numbers are next to each other in memory, as many at once as may be: for a pull
// that treats a number like any other.  The sums are at least as long as the value.
template <typename F>
void for_each_stretch(const PullEntries& entries, F f) {
  const bool alike = std::all_of(entries.runs().begin(), entries.runs().end(),
                                 [](const PullRun& run) { return run.sum.size() == run.value.size(); });
  if (alike)
    for (const PullRun& run : entries.runs()) f(run.sum, run.value);
  if (!alike || entries.runs().empty())
    for (const PullEntry& entry : entries) f(entry.sum, entry.value);
}

// The commonest pull: value += sum.
class AddPull : public Pull {
 public:
  void pull(const PullTask& task) override {
    for_each_stretch(task.entries, [](std::span<const double> sum, std::span<double> value) {
      for (std::size_t i = 0; i < value.size(); ++i) value[i] += sum[i];
    });
  }
};

// value = sum: the shards' parts together are the new row.
class AssignPull : public Pull {
 public:
  void pull(const PullTask& task) override {
    for_each_stretch(task.entries, [](std::span<const double> sum, std::span<double> value) {
      std::copy_n(sum.begin(), value.size(), value.begin());
    });
  }
};

}  // namespace rota
