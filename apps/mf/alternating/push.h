// apps/mf/alternating/push.h -- one shard of a solver that changes users and items in turn (als/, ccd/).
//
// The shard has a range of users and a range of items, and the ratings of both: each rating is in two shards, or twice
// in one.  In its rounds it computes the new rows of its users, or of its items, from its view of the other side.
#pragma once
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "apps/mf/alternating/factors.h"
#include "apps/mf/kernels.h"
#include "apps/mf/ratings/shard_ratings.h"
#include "rota/push.h"

namespace rota::mf {

// Of the shards of a process.
struct WholeData {
  explicit WholeData(std::shared_ptr<const Common> common_) : common(std::move(common_)) {}
  std::size_t rows(std::uint32_t side) const { return common->rows(side); }

  std::shared_ptr<const Common> common;
  const RowKernel& kernel = kernels().rows;
  PerVersion made[2] = {};  // of each table, for the solver
};

// The unit in which factors are learned: the ratings' deviation, as a power of 256, so that no digit changes.  1 if
// ratings have no unit.
double unit_of(const Settings& settings, double deviation);

class AlternatingPush : public SharedPush {
 public:
  AlternatingPush(const Settings& settings, std::shared_ptr<WholeData> whole, ShardRatings ratings);

  std::uint64_t items() const override { return ratings_.of[kUserSide].partners.size(); }
  void facts(Facts& facts) const override;
  void attach(const Shape& shape) override;
  // The minimised function: the squared errors and the penalty; and the errors on held-out ratings, or for implicit
  // ones how high the shard's users rank them.
  void evaluate(Terms terms) const override;

 protected:
  // The rows of one side, one after the other.
  virtual Factors factors(std::uint32_t side) const = 0;
  // The sum of x' x over the rows of one side, for the kernel.
  const double* gram_of(std::uint32_t side) const;
  // Calls f(some ratings, their predictions) for all of a shard's rows in turn.
  void predict(const RatingRows& ratings, const Factors& own, const Factors& partners,
               const std::function<void(std::span<const Partner>, std::span<const double>)>& f) const;
  // lambda, times the number of the row's ratings if it counts for each.
  double penalty(std::size_t ratings) const {
    return settings_.penalty() / form_.bias_times * (settings_.by_rating ? static_cast<double>(ratings) : 1);
  }
  // Throws if a new row of the shard is not finite as floats.
  void require_finite(std::uint32_t side, std::size_t row, std::span<const double> numbers) const;

  Settings settings_;
  std::shared_ptr<WholeData> whole_;
  ShardRatings ratings_;  // in units of unit_
  double unit_;
  RowForm form_;
  const TableView* views_ = nullptr;  // of the users, of the items

 private:
  void add_penalty(std::uint32_t side, double& sum) const;
  // The sum of squared predictions of all items for this shard's users.
  double all_squares(const Factors& users) const;
  void evaluate_held_out(const Factors& users, const Factors& items, Terms terms) const;
  void rank_held_out(const Factors& users, const Factors& items, Terms terms) const;

  bool speaks_for_all_ = false;
};

}  // namespace rota::mf
