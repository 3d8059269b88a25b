#include "apps/mf/ratings/packed_ratings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "rota/error.h"
#include "rota/shards.h"

namespace rota::mf {
namespace {

constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();

// A part with its size, so that a reader can skip it.
void put_part(const Writer& part, Writer& out) {
  out.put_all(part.view());
}
std::span<const std::byte> get_part(Reader& in) {
  return in.get_bytes(in.get_count(1));
}

void put_counts(const std::vector<std::uint32_t>& counts, Writer& out) {
  out.put_varint(counts.size());
  for (const std::uint32_t count : counts) out.put_varint(count);
}
std::vector<std::uint32_t> get_counts(Reader& in) {
  std::vector<std::uint32_t> counts(in.get_count(1));
  for (std::uint32_t& count : counts) count = in.get_bounded<std::uint32_t>(kMost32);
  return counts;
}

// After the kind: the part common to both kinds.
void put_common(Dealing dealing, const RatingData& data, const HeldOutRatings& held_out, Writer& out) {
  const RatingCounts counts = counts_of(data, held_out.unknown);
  out.put(dealing);
  for (const io::Vocabulary* const names : {&data.users, &data.items}) {
    Writer part;
    write_names(*names, part);
    put_part(part, out);
  }
  put_counts(counts.users, out);
  put_counts(counts.items, out);
  out.put(counts.statistics.mean);
  out.put(counts.statistics.deviation);
  out.put(counts.statistics.origin);
  out.put_varint(counts.ratings);
  out.put_varint(counts.unknown.count);
  out.put(counts.unknown.sum);
  out.put(counts.unknown.squared_errors);
  out.put(counts.unknown.absolute_errors);
}

bool get_statistics(Reader& in, RatingCounts& counts) {
  counts.statistics.mean = in.get<double>();
  counts.statistics.deviation = in.get<double>();
  counts.statistics.origin = in.get<double>();
  counts.ratings = in.get_varint();
  counts.unknown.count = in.get_varint();
  counts.unknown.sum = in.get<double>();
  counts.unknown.squared_errors = in.get<double>();
  counts.unknown.absolute_errors = in.get<double>();
  const auto sum_of = [](const std::vector<std::uint32_t>& all) {
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  };
  return counts.ratings > 0 && sum_of(counts.users) == counts.ratings && sum_of(counts.items) == counts.ratings &&
         std::isfinite(counts.statistics.mean) && std::isfinite(counts.statistics.deviation) &&
         counts.statistics.deviation > 0 && std::isfinite(counts.statistics.origin) &&
         std::isfinite(counts.unknown.sum) && counts.unknown.squared_errors >= 0 &&
         std::isfinite(counts.unknown.squared_errors) && counts.unknown.absolute_errors >= 0 &&
         std::isfinite(counts.unknown.absolute_errors);
}

io::Vocabulary get_names(std::span<const std::byte> part, std::size_t count, bool named, Reader& in) {
  if (!named || !in.ok()) return {};
  Reader list(part);
  io::Vocabulary names = read_names(list);
  if (!list.done() || names.size() != count) in.fail();
  return names;
}

// Ratings of one side's members of each shard.
std::vector<Writer> lists_of(const std::vector<Rating>& ratings, std::uint32_t side, std::uint32_t shards) {
  const auto shard_of = [&](const Rating& one) { return (side == kUserSide ? one.user : one.item) % shards; };
  std::vector<std::uint64_t> counts(shards);
  for (const Rating& one : ratings) ++counts[shard_of(one)];
  std::vector<Writer> lists(shards);
  for (std::uint32_t s = 0; s < shards; ++s) lists[s].put_varint(counts[s]);
  for (const Rating& one : ratings) {
    Writer& list = lists[shard_of(one)];
    list.put_varint(one.user);
    list.put_varint(one.item);
    list.put(one.value);
  }
  return lists;
}

std::vector<Rating> get_list(std::span<const std::byte> part, std::size_t users, std::size_t items, Reader& in) {
  Reader list(part);
  std::vector<Rating> ratings(list.get_count(6));
  if (!ratings.empty() && (users == 0 || items == 0)) list.fail();
  for (Rating& one : ratings) {
    one.user = list.get_bounded<std::uint32_t>(users - 1);
    one.item = list.get_bounded<std::uint32_t>(items - 1);
    one.value = list.get<float>();
    if (!std::isfinite(one.value)) list.fail();
  }
  if (!list.done()) in.fail();
  return ratings;
}

void put_rows(const RatingRows& rows, Writer& out) {
  for (std::size_t i = 0; i < rows.rows(); ++i) out.put_varint(rows.ratings(i));
  out.put_varint(rows.partners.size());
  for (const Partner& one : rows.partners) {
    out.put(one.number);
    out.put(one.value);
  }
}

void put_cuts(const std::vector<std::uint64_t>& cuts, Writer& out) {
  for (const std::uint64_t cut : cuts) out.put_varint(cut);
}

}  // namespace

RatingCounts counts_of(const RatingData& data, const UnknownRatings& unknown) {
  RatingCounts counts{std::vector<std::uint32_t>(data.users.size()), std::vector<std::uint32_t>(data.items.size()),
                      data.statistics, data.ratings.size(), unknown};
  for (const Rating& one : data.ratings) {
    ++counts.users[one.user];
    ++counts.items[one.item];
  }
  return counts;
}

void pack_dealt(const RatingData& data, const HeldOutRatings& held_out, std::uint32_t shards, DataPacker& out) {
  Writer common;
  put_common(Dealing::dealt, data, held_out, common);
  out.common(common.view());
  const std::vector<Writer> lists[] = {
      lists_of(data.ratings, kUserSide, shards), lists_of(held_out.known, kUserSide, shards),
      lists_of(data.ratings, kItemSide, shards), lists_of(held_out.known, kItemSide, shards)};
  std::vector<std::uint64_t> items(shards);
  for (const Rating& one : data.ratings) ++items[one.user % shards];
  for (ShardId shard = 0; shard < shards; ++shard) {
    Writer packed;
    for (const auto& list : lists) put_part(list[shard], packed);
    out.shard(shard, items[shard], packed.view());
  }
}

void pack_ranges(const RatingData& data, const HeldOutRatings& held_out, bool sums, std::uint32_t shards,
                 DataPacker& out) {
  std::vector<ShardId> all(shards);
  std::iota(all.begin(), all.end(), ShardId{0});
  const auto users = cut_rows(data.ratings, kUserSide, data.users.size(), shards);
  const auto items = cut_rows(data.ratings, kItemSide, data.items.size(), shards);
  Writer common;
  put_common(Dealing::ranges, data, held_out, common);
  put_cuts(users, common);
  put_cuts(items, common);
  out.common(common.view());
  const auto of_users = rating_rows(data.ratings, kUserSide, users, all, sums);
  const auto of_items = rating_rows(data.ratings, kItemSide, items, all, sums);
  const auto held = rating_rows(held_out.known, kUserSide, users, all, false);
  for (const ShardId shard : all) {
    Writer packed;
    put_rows(of_users[shard], packed);
    put_rows(of_items[shard], packed);
    put_rows(held[shard], packed);
    out.shard(shard, of_users[shard].partners.size(), packed.view());
  }
}

PackedRatings::PackedRatings(const PackedData& packed, std::uint32_t shards, Dealing dealing, bool named)
    : packed_(packed), shards_(shards) {
  packed.common([&](Reader& in) { return read_common(in, dealing, named); });
}

bool PackedRatings::read_common(Reader& in, Dealing dealing, bool named) {
  const auto kind = in.get_bounded<unsigned>(1);
  if (in.ok() && kind != static_cast<unsigned>(dealing))
    throw UsageError(packed_.name() + ": these shards are for " +
                     (dealing == Dealing::dealt ? "--solver=als and ccd" : "--solver=sgd") +
                     ", and this solver deals the ratings otherwise: `rota shard mf --solver=...`");
  const auto users = get_part(in), items = get_part(in);
  counts_.users = get_counts(in);
  counts_.items = get_counts(in);
  if (counts_.users.size() > io::kMostWords || counts_.items.size() > io::kMostWords) in.fail();
  users_ = get_names(users, counts_.users.size(), named, in);
  items_ = get_names(items, counts_.items.size(), named, in);
  if (!get_statistics(in, counts_)) in.fail();
  for (const std::uint32_t side : {kUserSide, kItemSide}) {
    if (dealing == Dealing::dealt || !in.ok()) break;
    cuts_[side].resize(shards_ + std::size_t{1});
    for (std::uint64_t& cut : cuts_[side]) cut = in.get_bounded(counts(side).size());
    if (cuts_[side].front() != 0 || cuts_[side].back() != counts(side).size() ||
        !std::is_sorted(cuts_[side].begin(), cuts_[side].end()))
      in.fail();
  }
  return in.ok();
}

DealtRatings PackedRatings::dealt(ShardId shard, std::uint32_t side) const {
  return packed_.shard(shard, [&](Reader& in) {
    DealtRatings out;
    for (const std::uint32_t of : {kUserSide, kItemSide}) {
      const auto trained = get_part(in), held_out = get_part(in);
      if (of != side) continue;
      out.trained = get_list(trained, counts_.users.size(), counts_.items.size(), in);
      out.held_out = get_list(held_out, counts_.users.size(), counts_.items.size(), in);
    }
    // Each of the shard's residents must have as many as the counts say, and no other row any.
    std::vector<std::uint32_t> seen(dealt_to(shard, counts(side).size(), shards_));
    const auto resident = [&](const Rating& one) { return side == kUserSide ? one.user : one.item; };
    for (const auto* const list : {&out.trained, &out.held_out})
      for (const Rating& one : *list) {
        if (!in.ok() || resident(one) % shards_ != shard) return in.fail(), out;
        if (list == &out.trained) ++seen[resident(one) / shards_];
      }
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen[i] != counts(side)[shard + i * shards_]) in.fail();
    return out;
  });
}

RatingRows PackedRatings::read_rows(Reader& in, ShardId shard, std::uint32_t side) const {
  RatingRows rows;
  const std::uint64_t first = cuts_[side][shard], end = cuts_[side][shard + 1];
  rows.first = static_cast<std::uint32_t>(first);
  for (std::uint64_t row = first; row < end && in.ok(); ++row)
    rows.begins.push_back(rows.begins.back() + in.get_bounded<std::size_t>(kMost32));
  const std::size_t partners = in.get_count(sizeof(std::uint32_t) + sizeof(float));
  if (partners != rows.begins.back()) in.fail();
  if (!in.ok()) return {};
  rows.partners.resize(partners);
  const std::size_t others = counts(kItemSide - side).size();
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t p = rows.begins[i]; p < rows.begins[i + 1]; ++p) {
      Partner& one = rows.partners[p];
      one.number = in.get<std::uint32_t>();
      one.value = in.get<float>();
      if (one.number >= others || !std::isfinite(one.value)) in.fail();
      if (p > rows.begins[i] && one.number < rows.partners[p - 1].number) in.fail();
    }
  return in.ok() ? rows : RatingRows();
}

RangeRatings PackedRatings::ranges(ShardId shard) const {
  return packed_.shard(shard, [&](Reader& in) {
    RangeRatings out;
    out.of[kUserSide] = read_rows(in, shard, kUserSide);
    out.of[kItemSide] = read_rows(in, shard, kItemSide);
    out.held_out = read_rows(in, shard, kUserSide);
    return out;
  });
}

}  // namespace rota::mf
