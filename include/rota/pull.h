// rota/pull.h -- the third step: the summed parts become the committed value.
#pragma once
#include <algorithm>
#include <concepts>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rota/fields.h"
#include "rota/job.h"
#include "rota/round.h"
#include "rota/types.h"

namespace rota {

// There is one object for each partition of the store.  `pull` is the STRADS paper's aggregate-and-commit.  The host
// calls one object from one thread at a time, though not always the same.  state() lists what pull() depends on beyond
// rows and parts.
class Pull : public Stateful {
 public:
  // Rewrites the value of every entry.  Called in the order of the rounds.
  virtual void pull(const PullTask&) = 0;

  // The host calls evaluate() for a row.  False if no row has a share, because evaluate() is not overridden.
  bool evaluate_row(TableId table, Key key, std::span<const double> value, Terms terms) const {
    evaluates_ = true;
    evaluate(table, key, value, terms);
    return evaluates_;
  }

 private:
  // Adds a row's share of an evaluation.  Private, so that what overrides it cannot call this one.
  virtual void evaluate(TableId, Key, std::span<const double> /*value*/, Terms /*terms*/) const { evaluates_ = false; }

  mutable bool evaluates_ = false;
};

// Calls f(sum, value) for runs of numbers that are contiguous in memory, as long as possible: for a pull that treats
// all numbers alike.  The sums are at least as long as the value.
template <typename F>
void for_each_stretch(const PullEntries& entries, F f) {
  const bool alike = std::all_of(entries.runs().begin(), entries.runs().end(),
                                 [](const PullRun& run) { return run.sum.size() == run.value.size(); });
  if (alike)
    for (const PullRun& run : entries.runs()) f(run.sum, run.value);
  if (!alike || entries.runs().empty())
    for (const PullEntry& entry : entries) f(entry.sum, entry.value);
}

// The most common pulls: the combined parts are combined with the value.  `how` is that of the table (Table::combine).
template <Combine how>
class CombinePull : public Pull {
 public:
  void pull(const PullTask& task) override { combine(task); }
  static void combine(const PullTask& task) {
    for_each_stretch(task.entries, [](std::span<const double> parts, std::span<double> value) {
      for (std::size_t i = 0; i < value.size(); ++i) value[i] = combined(how, value[i], parts[i]);
    });
  }
};
using AddPull = CombinePull<Combine::sum>;  // value += sum

// The same for the tables of an app, each in its own way: App's default.
class TablesPull final : public Pull {
 public:
  explicit TablesPull(std::vector<Table> tables) : tables_(std::move(tables)) {}

  void pull(const PullTask& task) override {
    switch (tables_[task.table].combine) {
      case Combine::sum:
        return CombinePull<Combine::sum>::combine(task);
      case Combine::min:
        return CombinePull<Combine::min>::combine(task);
      case Combine::max:
        return CombinePull<Combine::max>::combine(task);
    }
  }

 private:
  std::vector<Table> tables_;
};

// value = sum: the sum of the shards' parts is the new row.
class AssignPull : public Pull {
 public:
  void pull(const PullTask& task) override {
    for_each_stretch(task.entries, [](std::span<const double> sum, std::span<double> value) {
      std::copy_n(sum.begin(), value.size(), value.begin());
    });
  }
};

// A pull that rewrites every row by itself: f(sum, value) of a PullEntry, or f(entry, random) with the row's own
// generator.
//
//   return row_pull([](std::span<const double> sum, std::span<double> mean) { mean[0] = sum[0] / sum[1]; });
template <typename F>
class RowPull final : public Pull {
 public:
  explicit RowPull(F f) : f_(std::move(f)) {}
  void pull(const PullTask& task) override {
    for (const PullEntry& entry : task.entries) {
      if constexpr (std::invocable<F&, std::span<const double>, std::span<double>>) {
        f_(entry.sum, entry.value);
      } else {
        Random random = task.random(entry.key);
        f_(entry, random);
      }
    }
  }

 private:
  F f_;
};
template <typename F>
std::unique_ptr<Pull> row_pull(F f) {
  return std::make_unique<RowPull<F>>(std::move(f));
}

}  // namespace rota
