#include "apps/mf/alternating/app.h"

#include <algorithm>
#include <utility>

#include "apps/mf/ratings/rating_data.h"
#include "apps/mf/scoring/terms.h"
#include "rota/shards.h"

namespace rota::mf {
namespace {

// For a solver without slices, because the app has them.
class EmptySlice final : public Slice {
 public:
  void encode(Writer&) const override {}
  void decode(Reader&) override {}
};

}  // namespace

std::vector<std::unique_ptr<Push>> AlternatingApp::load(std::span<const ShardId> hosted, Random&) {
  RatingCounts counts;
  auto shards = job_.packed == nullptr ? load_text(hosted, counts) : load_packed(hosted, counts);
  auto whole = std::make_shared<WholeData>();
  whole->rows[kUserSide] = counts.users.size();
  whole->rows[kItemSide] = counts.items.size();
  whole->ratings = counts.ratings;
  whole->statistics = counts.statistics;
  whole->unknown = counts.unknown;
  whole->names[kUserSide] = &users_;
  whole->names[kItemSide] = &items_;
  std::vector<std::unique_ptr<Push>> out;
  for (ShardRatings& ratings : shards) out.push_back(push(whole, std::move(ratings)));
  return out;
}

std::vector<ShardRatings> AlternatingApp::load_text(std::span<const ShardId> hosted, RatingCounts& counts) {
  RatingData data = read_ratings(job_.input, settings_.format, settings_.kind());
  const HeldOutRatings held_out = read_held_out(job_.valid, settings_.format, data, settings_.kind());
  counts = counts_of(data, held_out.unknown);
  std::vector<ShardRatings> shards(hosted.size());
  for (const std::uint32_t side : {kUserSide, kItemSide}) {
    const std::size_t all = side == kUserSide ? data.users.size() : data.items.size();
    const auto cuts = cut_rows(data.ratings, side, all, job_.shards);
    if (side == kUserSide) require_cut(cuts);  // there may be fewer items
    auto rows = rating_rows(data.ratings, side, cuts, hosted, settings_.implicit);
    for (std::size_t i = 0; i < hosted.size(); ++i) shards[i].of[side] = std::move(rows[i]);
    if (side == kItemSide) continue;
    rows = rating_rows(held_out.known, side, cuts, hosted, false);
    for (std::size_t i = 0; i < hosted.size(); ++i) shards[i].held_out = std::move(rows[i]);
  }
  users_ = std::move(data.users);
  items_ = std::move(data.items);
  return shards;
}

std::vector<ShardRatings> AlternatingApp::load_packed(std::span<const ShardId> hosted, RatingCounts& counts) {
  const bool named = std::find(hosted.begin(), hosted.end(), ShardId{0}) != hosted.end();
  PackedRatings packed(*job_.packed, job_.shards, Dealing::ranges, named);
  std::vector<ShardRatings> shards;
  for (const ShardId shard : hosted) shards.push_back(packed.ranges(shard));
  counts = packed.counts();
  users_ = std::move(packed.users());
  items_ = std::move(packed.items());
  return shards;
}

void AlternatingApp::pack(DataPacker& out) {
  const RatingData data = read_ratings(job_.input, settings_.format, settings_.kind());
  pack_ranges(data, read_held_out(job_.valid, settings_.format, data, settings_.kind()), settings_.implicit,
              job_.shards, out);
}

std::vector<Term> AlternatingApp::terms() const {
  return terms_of(settings_);
}

std::vector<Score> AlternatingApp::scores() const {
  return scores_of(settings_);
}

std::unique_ptr<Slice> AlternatingApp::slice(std::span<const Key>) const {
  return std::make_unique<EmptySlice>();
}

void AlternatingApp::save_common(Writer& out) const {
  write_names(users_, out);
  write_names(items_, out);
}

}  // namespace rota::mf
