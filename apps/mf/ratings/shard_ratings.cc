#include "apps/mf/ratings/shard_ratings.h"

#include <cmath>
#include <utility>

namespace rota::mf {

void report(const Common& common, double deviation, Facts& facts) {
  facts.largest("users", static_cast<double>(common.rows(kUserSide)));
  facts.largest("items", static_cast<double>(common.rows(kItemSide)));
  facts.largest("ratings", static_cast<double>(common.ratings));
  facts.largest("mean", common.statistics.mean);
  facts.largest("deviation", deviation);
}

bool ShardRatings::fits(const Common& common, const Job& job, ShardId shard) const {
  for (const std::uint32_t side : {kUserSide, kItemSide}) {
    const Dealing& dealing = common.dealings[side];
    for (const RatingRows* const rows : {&of[side], &held_out[side]}) {
      if (dealing.shards != job.shards || rows->begins.size() != dealing.count(shard) + 1 ||
          rows->first != dealing.first(shard) || rows->step != dealing.step() || rows->begins.front() != 0 ||
          rows->begins.back() != rows->partners.size() || !std::ranges::is_sorted(rows->begins))
        return false;
      for (const Partner& one : rows->partners)
        if (one.number >= common.rows(kItemSide - side) || !std::isfinite(one.value)) return false;
      for (std::size_t i = 0; i < rows->rows(); ++i) {
        if (dealing.ranges() && !std::ranges::is_sorted(rows->row(i), {}, &Partner::number)) return false;
        if (rows == &of[side] && rows->ratings(i) > common.counts[side][rows->number(i)]) return false;
      }
    }
  }
  return true;
}

std::vector<ShardRatings> read_shards(const Job& job, const Settings& settings, Deals deals,
                                      std::span<const ShardId> hosted, Common& common) {
  RatingData data = read_ratings(job.input, settings.form, settings.kind());
  const HeldOutRatings held_out = read_held_out(job.valid, settings.form, settings.kind(), data);
  common.statistics = data.statistics;
  common.ratings = data.ratings.size();
  common.unknown = held_out.unknown;
  std::vector<ShardRatings> shards(hosted.size());
  for (const std::uint32_t side : {kUserSide, kItemSide}) {
    std::vector<std::uint32_t>& counts = common.counts[side];
    counts.resize(data.names[side].size());
    for (const Rating& one : data.ratings) ++counts[one.of[side]];
    Dealing& dealing = common.dealings[side];
    dealing = deals == Deals::ranges ? deal_ranges(counts, job.shards) : Dealing{job.shards, counts.size(), {}};
    const bool summed = deals == Deals::ranges && settings.implicit;
    auto trained = rating_rows(data.ratings, side, dealing, hosted, summed);
    auto others = rating_rows(held_out.known, side, dealing, hosted, false);
    for (std::size_t i = 0; i < hosted.size(); ++i) {
      shards[i].of[side] = std::move(trained[i]);
      shards[i].held_out[side] = std::move(others[i]);
    }
  }
  common.names = std::move(data.names);
  return shards;
}

}  // namespace rota::mf
