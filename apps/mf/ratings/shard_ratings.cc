#include "apps/mf/ratings/shard_ratings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rota/error.h"
#include "rota/fields.h"

namespace rota::mf {

RatingSource::RatingSource(const Job& job, const Settings& settings, bool named) : job_(job), settings_(settings) {
  if (job.packed != nullptr) {
    job.packed->common([&](Reader& in) { return read_common(in, named); });
    return;
  }
  RatingData data = read_ratings(job.input, settings.format, settings.kind());
  HeldOutRatings held_out = read_held_out(job.valid, settings.format, data, settings.kind());
  counts_ = counts_of(data, held_out.unknown);
  for (const std::uint32_t side : {kUserSide, kItemSide})
    dealings_[side] =
        ranges() ? deal_ranges(counts_.of[side], job.shards) : Dealing{job.shards, counts_.of[side].size(), {}};
  names_ = {std::move(data.users), std::move(data.items)};
  trained_ = std::move(data.ratings);
  held_out_ = std::move(held_out.known);
}

void RatingSource::require_filled(std::uint32_t side) const {
  if (job_.packed != nullptr) return;
  std::uint64_t filled = 0;
  for (ShardId s = 0; s < job_.shards; ++s) filled += dealings_[side].count(s) > 0 ? 1 : 0;
  rota::require_filled(filled, job_.shards);
}

std::vector<ShardRatings> RatingSource::deal(std::span<const ShardId> hosted,
                                             std::initializer_list<std::uint32_t> sides) const {
  std::vector<ShardRatings> shards(hosted.size());
  if (job_.packed != nullptr) {
    for (std::size_t i = 0; i < hosted.size(); ++i)
      shards[i] = job_.packed->shard(hosted[i], [&](Reader& in) { return read_shard(in, hosted[i]); });
    return shards;
  }
  for (const std::uint32_t side : sides) {
    auto trained = rating_rows(trained_, side, dealings_[side], hosted, sums());
    auto held_out = rating_rows(held_out_, side, dealings_[side], hosted, false);
    for (std::size_t i = 0; i < hosted.size(); ++i) {
      shards[i].of[side] = std::move(trained[i]);
      shards[i].held_out[side] = std::move(held_out[i]);
    }
  }
  return shards;
}

void RatingSource::pack(DataPacker& out) const {
  Writer common;
  common.put(static_cast<std::uint8_t>(ranges()));
  FieldWriter list(common);
  list(counts_);
  if (ranges()) list(dealings_[kUserSide].cuts, dealings_[kItemSide].cuts);
  for (const io::Vocabulary& names : names_) {
    Writer part;  // which a reader may skip
    write_names(names, part);
    common.put_all(part.view());
  }
  out.common(common.view());
  std::vector<ShardId> all(job_.shards);
  std::iota(all.begin(), all.end(), ShardId{0});
  const std::vector<ShardRatings> shards = deal(all, {kUserSide, kItemSide});
  for (const ShardId shard : all) {
    Writer packed;
    write_fields(packed, shards[shard]);
    out.shard(shard, shards[shard].of[kUserSide].partners.size(), packed.view());
  }
}

bool RatingSource::read_common(Reader& in, bool named) {
  const bool made_for_ranges = in.get<std::uint8_t>() != 0;
  if (in.ok() && made_for_ranges != ranges())
    throw UsageError(job_.packed->name() + ": these shards are for " +
                     (made_for_ranges ? "--solver=als and ccd" : "--solver=sgd") +
                     ", and this solver deals the ratings otherwise: `rota shard mf --solver=...`");
  FieldReader list(in);
  list(counts_);
  if (ranges()) list(dealings_[kUserSide].cuts, dealings_[kItemSide].cuts);
  for (const std::uint32_t side : {kUserSide, kItemSide}) {
    const std::vector<std::uint32_t>& ratings = counts_.of[side];
    std::vector<std::uint64_t>& cuts = dealings_[side].cuts;
    dealings_[side].shards = job_.shards;
    dealings_[side].rows = ratings.size();
    list.check(ratings.size() <= io::kMostWords && counts_.ratings > 0 &&
               std::accumulate(ratings.begin(), ratings.end(), std::uint64_t{0}) == counts_.ratings);
    list.check(!ranges() || (cuts.size() == job_.shards + std::size_t{1} && cuts.front() == 0 &&
                             cuts.back() == ratings.size() && std::is_sorted(cuts.begin(), cuts.end())));
    Reader part(in.get_bytes(in.get_count(1)));
    if (!named || !in.ok()) continue;
    names_[side] = read_names(part);
    list.check(part.done() && names_[side].size() == ratings.size());
  }
  return in.ok();
}

ShardRatings RatingSource::read_shard(Reader& in, ShardId shard) const {
  ShardRatings out;
  FieldReader list(in);
  list(out);
  for (const std::uint32_t side : {kUserSide, kItemSide})
    for (const bool trained : {true, false}) {
      RatingRows& rows = trained ? out.of[side] : out.held_out[side];
      rows.first = static_cast<std::uint32_t>(dealings_[side].first(shard));
      rows.step = dealings_[side].step();
      list.check(fits(rows, shard, side, trained));
    }
  return in.ok() ? std::move(out) : ShardRatings();
}

// The file comes from outside.  Each row must have as many ratings as the counts say.
bool RatingSource::fits(const RatingRows& rows, ShardId shard, std::uint32_t side, bool trained) const {
  const std::vector<std::size_t>& begins = rows.begins;
  if (begins.size() != dealings_[side].count(shard) + 1 || begins.front() != 0 ||
      begins.back() != rows.partners.size() || !std::is_sorted(begins.begin(), begins.end()))
    return false;
  for (const Partner& one : rows.partners)
    if (one.number >= dealings_[kItemSide - side].rows || !std::isfinite(one.value)) return false;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (ranges() && !std::ranges::is_sorted(rows.row(i), {}, &Partner::number)) return false;
    const std::uint32_t counted = counts_.of[side][rows.number(i)];
    if (trained && (sums() ? rows.ratings(i) > counted : rows.ratings(i) != counted)) return false;
  }
  return true;
}

}  // namespace rota::mf
