// apps/mf/sgd/push.h -- one shard: its residents' factors, and its ratings, which train them and the visiting slices.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "apps/mf/factor_rows.h"
#include "apps/mf/kernels.h"
#include "apps/mf/ratings/shard_ratings.h"
#include "apps/mf/sgd/pair_pool.h"
#include "apps/mf/sgd/settings.h"
#include "apps/mf/sgd/valid_ranking.h"
#include "rota/push.h"

namespace rota::mf {

// Residents are rows that stay in their shard, visitors are rows in slices, which pass from shard to shard: the items
// and the users, or the other way round.  Resident r is row r / S of shard r mod S.
struct Sides {
  std::shared_ptr<const Common> common;
  double deviation = 1;  // the unit of the ratings; labels and implicit ratings have none
  std::uint32_t residing = kUserSide;

  // The number of ratings of each.
  std::span<const std::uint32_t> residents() const { return common->counts[residing]; }
  std::span<const std::uint32_t> visitors() const { return common->counts[kItemSide - residing]; }
};

// With fewer rows a slice the work of slices is uneven, and an epoch of phases (schedule.h) makes less progress: on 100
// items in 16 slices the best held-out error was 0.6 % higher than with the users in slices.
inline constexpr std::size_t kLeastRows = 32;

// The side of the residents.
inline std::uint32_t residing_side(std::size_t users, std::size_t items, Rotates rotates, std::uint32_t slices) {
  const bool enough = std::min(users, items) >= kLeastRows * slices;
  const bool users_move = rotates == Rotates::users || (rotates == Rotates::automatic && (users < items) == enough);
  return users_move ? kItemSide : kUserSide;
}

class MfPush final : public SlicePush<FactorRows> {
 public:
  // The ratings of its residents, as they are on disk.
  MfPush(const SgdSettings& settings, Sides sides, RatingRows ratings, RatingRows held_out);

  std::uint64_t items() const override { return count_; }
  void facts(Facts& facts) const override;
  void census(Census& weight) const override;
  void attach(const Shape& shape) override;
  void start(Random& own, Random& common) override;

  std::uint64_t push(const SliceTask& task, FactorRows& visitors, Random&) override;
  void evaluate(Terms terms) const override;
  void evaluate_visit(SliceId slice, const FactorRows& visitors, Terms terms) const override;
  void state(Archive& list) override { list.reads() ? restore(*list.reader()) : save(*list.writer()); }
  void save(Writer& out) const;
  void restore(Reader& in);
  // An interrupted evaluation may leave its ranking incomplete.
  bool restores_in_place() const override { return settings_.loss != Loss::bpr; }

 private:
  // The ratings of one slice: those from `begin` on of cells_.
  struct CellRange {
    std::size_t begin = 0, end = 0;
    std::vector<Penalty> penalties;  // of the slice's rows, if they are not all the same
    // Where the next visit continues after one that ran out of time.  Not saved: with --step_budget_ms no run can be
    // repeated.
    std::size_t next = 0;
  };

 public:
  // Memory of a shard for each slice, with or without ratings.
  static constexpr double kBytesOfVisit = sizeof(CellRange) + sizeof(std::vector<CellRating>);

 private:
  Penalty step_penalty(std::uint32_t ratings) const;
  void attach_pairs(const Cut& cut, std::span<const std::pair<SliceId, std::uint32_t>> place);
  Cell cell_of(const SliceTask& task, FactorRows& visitors);
  // Time control: runs the cell's ratings until the time is used up, at least some.  Returns their number.
  std::size_t run_for(const Budget& budget, Cell cell, std::size_t& next, double& losses) const;

  SgdSettings settings_;
  Sides sides_;
  RatingRows ratings_, held_out_;  // until attach()
  std::size_t count_;
  FactorRows residents_;
  std::vector<Penalty> penalties_;  // of the residents, if they are not all the same
  std::vector<CellRating> cells_;
  std::vector<CellRange> ranges_;                // by slice
  std::vector<std::vector<CellRating>> scored_;  // the held-out ones, by slice
  // With --loss=bpr, by slice: what is rated, and the keys of its rows if there are held-out ones.
  std::vector<RatedRows> rated_;
  PairPool pairs_;
  std::vector<std::vector<Key>> keys_;
  mutable ValidRanking ranking_;  // filled by the visits of an evaluation
  bool speaks_for_all_ = false;
  const Kernels& kernels_;
  Epoch epoch_ = 0;
  double losses_ = 0;  // in this epoch, each before its step
};

}  // namespace rota::mf
