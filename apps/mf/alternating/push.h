// apps/mf/alternating/push.h -- one shard of an app that changes users and items in turn (als/, ccd/).
//
// The shard has a range of users and a range of items, and the ratings of both: each rating is in two shards, or twice
// in one.  In its rounds it computes the new rows of its users, or of its items, from its view of the other side.
#pragma once
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "apps/mf/alternating/factors.h"
#include "rota/once_per_version.h"
#include "rota/push.h"

namespace rota::mf {

// Of the shards of a process.
struct WholeData {
  std::shared_ptr<const Common> common;
  OncePerVersion<LineVector<double>> made[2] = {};  // of each table, for the app
};

class AlternatingPush : public SharedPush {
 public:
  AlternatingPush(const Settings& settings, std::shared_ptr<WholeData> whole, ShardId shard, ShardRatings ratings);

  std::uint64_t items() const override { return rows_[kUserSide].ratings(); }
  void attach(const Shape& shape) override;
  // The minimised function: the squared errors and the penalty; and the errors on held-out ratings, or for implicit
  // ones how high the shard's users rank them.
  void evaluate(Terms terms) const override;

 protected:
  // The rows of one side, one after the other.
  virtual Factors factors(std::uint32_t side) const = 0;
  // The sum of x' x over the rows of one side, for the kernel.
  const double* gram_of(std::uint32_t side) const;
  // Calls f(rating, its prediction) for all ratings of a shard's rows in turn.
  template <typename F>
  void predict(const RatingRows& ratings, Factors own, Factors partners, F f) const {
    constexpr std::size_t kBlock = 256;
    const std::size_t width = form_.width();
    LineVector<double> row(width), rows(kBlock * width);
    double apart[kBlock], fitted[kBlock];
    for (std::size_t i = 0; i < ratings.rows(); ++i) {
      widen(own, form_, ratings.first + i, row.data());
      const std::span<const Partner> all = ratings.row(i);
      for (std::size_t at = 0; at < all.size(); at += kBlock) {
        const auto some = all.subspan(at, std::min(kBlock, all.size() - at));
        gather_rows(partners, form_, some, rows.data(), apart);
        products(rows.data(), some.size(), width, row.data(), fitted);
        for (std::size_t j = 0; j < some.size(); ++j) f(static_cast<double>(some[j].value), fitted[j] + apart[j]);
      }
    }
  }
  // lambda, times the number of the row's ratings if it counts for each.
  double penalty(std::size_t ratings) const {
    return settings_.penalty() / form_.bias_times * (settings_.by_rating ? static_cast<double>(ratings) : 1);
  }
  // Throws if a new row of the shard is not finite as floats.
  void require_finite(std::uint32_t side, std::size_t row, std::span<const double> numbers) const;

  Settings settings_;
  std::shared_ptr<WholeData> whole_;
  double unit_;         // see unit_of()
  RatingRows rows_[2];  // in that unit
  RowForm form_;
  const TableView* views_ = nullptr;  // of the users, of the items

 private:
  // The sum of squared predictions of all items for this shard's users.
  double all_squares(Factors users) const;
  void rank_held_out(Factors users, Factors items, Terms terms) const;

  RatingRows held_out_;
  bool speaks_for_all_ = false;
};

}  // namespace rota::mf
