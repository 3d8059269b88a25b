#include "apps/mf/alternating/app.h"

#include <utility>

#include "apps/mf/ratings/rating_data.h"
#include "apps/mf/scoring/terms.h"

namespace rota::mf {
namespace {

// Of a model without slices in an app that has them.
class EmptySlice final : public Slice {
 public:
  void encode(Writer&) const override {}
  void decode(Reader&) override {}
};

}  // namespace

std::vector<std::unique_ptr<Push>> AlternatingApp::load(std::span<const ShardId> hosted, Random&) {
  RatingData data = read_ratings(job_.input, settings_.format, settings_.kind());
  const HeldOutRatings held_out = read_held_out(job_.valid, settings_.format, data, settings_.kind());
  auto whole = std::make_shared<WholeData>();
  whole->rows[kUserSide] = data.users.size();
  whole->rows[kItemSide] = data.items.size();
  whole->ratings = data.ratings.size();
  whole->statistics = data.statistics;
  whole->unknown = held_out.unknown;
  std::vector<ShardRatings> shards(hosted.size());
  for (const std::uint32_t side : {kUserSide, kItemSide}) {
    const auto cuts = cut_rows(data.ratings, side, whole->rows[side], job_.shards);
    auto rows = rating_rows(data.ratings, side, cuts, hosted, settings_.implicit);
    for (std::size_t i = 0; i < hosted.size(); ++i) shards[i].of[side] = std::move(rows[i]);
    if (side == kItemSide) continue;
    rows = rating_rows(held_out.known, side, cuts, hosted, false);
    for (std::size_t i = 0; i < hosted.size(); ++i) shards[i].held_out = std::move(rows[i]);
  }
  users_ = std::move(data.users);
  items_ = std::move(data.items);
  std::vector<std::unique_ptr<Push>> out;
  for (ShardRatings& ratings : shards) out.push_back(push(whole, std::move(ratings)));
  return out;
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
