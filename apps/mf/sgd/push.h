// apps/mf/sgd/push.h -- one shard: its residents' factors, and its ratings, which train them and the visiting slices.
//
// Residents are rows that stay in their shard, visitors are rows in slices, which pass from shard to shard: the users
// and the items, or the other way round.  Resident r is row r / S of shard r mod S.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/mf/ranking.h"
#include "apps/mf/ratings.h"
#include "apps/mf/sgd/factor_rows.h"
#include "apps/mf/sgd/pair_pool.h"
#include "apps/mf/sgd/settings.h"
#include "rota/push.h"

namespace rota::mf {

// With fewer rows a slice the work of slices is uneven, and an epoch of phases (schedule.h) makes less progress: on 100
// items in 16 slices the best held-out error was 0.6 % higher than with the users in slices.
inline constexpr std::size_t kLeastRows = 32;

// The side of the residents.
inline std::uint32_t residing_side(std::size_t users, std::size_t items, Rotates rotates, std::uint32_t slices) {
  const bool enough = std::min(users, items) >= kLeastRows * slices;
  const bool users_move = rotates == Rotates::users || (rotates == Rotates::automatic && (users < items) == enough);
  return users_move ? kItemSide : kUserSide;
}

// The order of the steps for the ratings of a cell.  It is cut into tiles, by runs of the slice's rows that stay in a
// processor's second-level cache; within a tile ratings are in the order of the shard's rows.  Then the halves of a
// tile are interleaved, one rating of each in turn: two steps at once depend on each other only if they share a row.
// The order depends only on the ratings and the width of a row, so it is the same on every machine.
void order_cell(std::span<CellRating> ratings, std::size_t row_bytes);

class MfPush final : public SlicePush<FactorRows> {
 public:
  MfPush(const SgdSettings& settings, std::shared_ptr<const Common> common, std::uint32_t residing, ShardId shard,
         std::uint32_t shards, ShardRatings ratings);

  std::uint64_t items() const override { return count_; }
  void census(Census& weight) const override;
  void attach(const Shape& shape) override;
  void start(Random& own, Random&) override { residents_.start(own, settings_.loss); }

  std::uint64_t push(const SliceTask& task, FactorRows& visitors, Random&) override;
  void evaluate(Terms terms) const override;
  void evaluate_visit(SliceId slice, const FactorRows& visitors, Terms terms) const override;
  void state(Archive& list) override;
  // An interrupted evaluation may leave its ranking incomplete.
  bool restores_in_place() const override { return settings_.loss != Loss::bpr; }

 private:
  // What the shard has of one slice.
  struct Visited {
    std::vector<CellRating> ratings, held_out;  // the latter not with --loss=bpr
    std::vector<Penalty> penalties;             // of the slice's rows, if they are not all the same
    // Where the next visit continues after one that ran out of time.  Not saved: with --step_budget_ms no run can be
    // repeated.
    std::size_t next = 0;
    RatedRows rated;        // with --loss=bpr
    std::vector<Key> keys;  // of its rows, if their ranking is evaluated
  };

 public:
  // Memory of a shard for each slice, with or without ratings.
  static constexpr double kBytesOfVisit = sizeof(Visited);

 private:
  Penalty step_penalty(std::uint32_t ratings) const;
  Cell cell_of(const SliceTask& task, FactorRows& visitors);
  // Time control: runs the cell's ratings until the time is used up, at least some.  Returns their number.
  static std::size_t run_for(const Budget& budget, Cell cell, std::size_t& next, double& losses);

  SgdSettings settings_;
  std::shared_ptr<const Common> common_;
  std::uint32_t residing_, visiting_;  // sides
  ShardId shard_;
  std::uint32_t shards_;
  RatingRows ratings_;  // of the residents, until attach()
  std::vector<Rating> held_out_;
  std::size_t count_;
  FactorRows residents_;
  std::vector<Penalty> penalties_;  // of the residents, if they are not all the same
  std::vector<Visited> slices_;
  PairPool pairs_;
  mutable ValidRanking ranking_;  // filled by the visits of an evaluation
  bool speaks_for_all_ = false;
  Epoch epoch_ = 0;
  double losses_ = 0;  // in this epoch, each before its step
};

}  // namespace rota::mf
