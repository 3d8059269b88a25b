#include "apps/mf/ratings.h"

#include "rota/error.h"
#include "rota/io/decimal.h"
#include "rota/io/numbers.h"

namespace rota::mf {

io::EntryForm entries_of(io::EntryForm form, RatingKind kind) {
  const bool rated = kind == RatingKind::ratings || kind == RatingKind::labels;
  form.fewest = rated ? 3 : 2;
  form.expected = rated ? "a user, an item and a rating" : "a user and an item";
  return form;
}

double rating_of(const io::EntryReader& reader, const io::Entry& entry, RatingKind kind) {
  if (kind == RatingKind::pairs) return 0;
  if (kind == RatingKind::counts && entry.value.empty()) return 1;
  double value = 0;
  if (!io::parse_number(entry.value, value) || !is_rating(value))
    reader.fail("expected a rating, 0 or a number from 1e-30 to 1e15 in size, found " + io::quoted(entry.value));
  if (kind == RatingKind::counts && value < 0)
    reader.fail("an implicit rating must not be negative: " + io::quoted(entry.value));
  if (kind != RatingKind::labels) return value;
  if (value != 1 && value != 0 && value != -1)
    reader.fail("expected a label, 1 and 0 or -1, found " + io::quoted(entry.value));
  return value > 0 ? 1 : 0;
}

namespace {

// Of the files, with the users' and items' numbers in the order of their first occurrence.
void list_ratings(const std::vector<std::string>& input, const io::EntryForm& form, RatingKind kind, AllRatings& all,
                  io::Vocabulary& users, io::Vocabulary& items) {
  double& origin = all.common.origin;
  for_each_rating(input, form, kind, [&](const io::EntryReader& reader, const io::Entry& entry, double value) {
    if (users.size() >= io::kMostWords || items.size() >= io::kMostWords)
      reader.fail("there may be at most " + std::to_string(io::kMostWords) + " users, and as many items");
    if (all.trained.empty() && kind == RatingKind::ratings) origin = value;
    if (!is_near(value, origin)) {
      for (Rating& one : all.trained.all()) one.value = static_cast<float>(origin + static_cast<double>(one.value));
      origin = 0;
    }
    all.trained.push_back(
        {{users.number_of(entry.first), items.number_of(entry.second)}, static_cast<float>(value - origin)});
  });
  if (all.trained.empty()) throw DataError(input.empty() ? "the input" : input.front(), 0, "there are no ratings");
}

}  // namespace

AllRatings read_ratings(const std::vector<std::string>& input, const std::vector<std::string>& valid,
                        const io::EntryForm& form, RatingKind kind) {
  AllRatings all;
  Common& common = all.common;
  io::Vocabulary users, items;
  if (valid.empty()) all.seen = SeenRatings::of(input, kind);
  if (all.seen) {
    common.origin = all.seen->origin();
    common.names = all.seen->names();
  } else {
    list_ratings(input, form, kind, all, users, items);
  }
  const double origin = common.origin;
  double sum = 0, squares = 0;
  common.counts[kUserSide].resize(all.seen ? all.seen->users() : users.size());
  common.counts[kItemSide].resize(all.seen ? all.seen->items() : items.size());
  all.for_each([&](const Rating& one) {
    ++common.ratings;
    sum += static_cast<double>(one.value);
    for (const std::uint32_t side : {kUserSide, kItemSide}) ++common.counts[side][one.of[side]];
  });
  const auto count = static_cast<double>(common.ratings);
  const double mean = sum / count;
  common.mean = origin + mean;
  all.for_each([&](const Rating& one) {
    const double off = static_cast<double>(one.value) - mean;
    squares += off * off;
  });
  const double deviation = std::sqrt(squares / count), size = std::abs(common.mean);
  if (kind == RatingKind::ratings)
    common.deviation = deviation > 1e-12 * std::abs(mean) && deviation > 0 ? deviation : size > 0 ? size : 1;

  for_each_rating(valid, form, kind, [&](const io::EntryReader&, const io::Entry& entry, double value) {
    const auto user = users.find(entry.first), item = items.find(entry.second);
    if (user && item) {
      all.held_out.push_back({{*user, *item}, static_cast<float>(value - origin)});
      return;
    }
    const double error = value - common.mean;
    ++common.unknown.count;
    common.unknown.sum += value;
    common.unknown.squared_errors += error * error;
    common.unknown.absolute_errors += std::abs(error);
  });
  if (!valid.empty() && all.held_out.empty() && common.unknown.count == 0)
    throw DataError(valid.front(), 0, "there are no held-out ratings");
  if (!all.seen) common.names = {std::move(users).words(), std::move(items).words()};
  return all;
}

RatingRows::RatingRows(const RowNumbers& numbers, std::span<const std::uint32_t> counts) : first(numbers.first) {
  begins.reserve(numbers.count + std::size_t{1});
  for (std::uint32_t i = 0; i < numbers.count; ++i)
    begins.push_back(begins.back() + counts[numbers.first + i * numbers.step]);
}

RatingRows::RatingRows(const std::vector<Rating>& ratings, std::uint32_t side, const RowNumbers& numbers)
    : first(numbers.first), begins(numbers.count + std::size_t{1}), partners(ratings.size()) {
  for (const Rating& one : ratings) ++begins[numbers.row_of(one.of[side]) + std::size_t{1}];
  std::inclusive_scan(begins.begin(), begins.end(), begins.begin());
  std::vector<std::uint64_t> ends(begins.begin(), begins.end() - 1);
  for (const Rating& one : ratings)
    partners[ends[numbers.row_of(one.of[side])]++] = {one.of[kItemSide - side], one.value};
}

void RatingRows::sort() {
  for (std::size_t i = 0; i < rows(); ++i)
    std::ranges::stable_sort(std::span(partners).subspan(begins[i], ratings(i)), {}, &Partner::number);
}

void RatingRows::add_up() {
  std::size_t from = 0, end = 0;
  std::vector<std::uint32_t> order;  // of a row's ratings, by number
  for (std::size_t i = 0; i < rows(); ++i) {
    const std::span row = std::span(partners).subspan(from, begins[i + 1] - from);
    order.resize(row.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t j) { return row[j].number; });
    std::vector<bool> merged(row.size());
    for (std::size_t at = 1, kept = 0; at < order.size(); ++at) {
      if (row[order[kept]].number != row[order[at]].number) {
        kept = at;
        continue;
      }
      row[order[kept]].value += row[order[at]].value;
      merged[order[at]] = true;
    }
    for (std::size_t j = 0; j < row.size(); ++j)
      if (!merged[j]) partners[end++] = row[j];
    from = begins[i + 1];
    begins[i + 1] = end;
  }
  partners.resize(end);
}

void RatingRows::multiply(float by) {
  scale *= by;
  for (Partner& one : partners) one.value *= by;
}

bool RatingRows::fits(const RowNumbers& numbers, std::uint64_t others) const {
  if (first != numbers.first || begins.size() != numbers.count + std::size_t{1} || begins.front() != 0 ||
      begins.back() != partners.size() || !std::ranges::is_sorted(begins))
    return false;
  return std::ranges::all_of(partners,
                             [&](const Partner& one) { return one.number < others && std::isfinite(one.value); });
}

bool ShardRatings::fits(const Common& common, const Job& job, ShardId shard) const {
  for (const std::uint32_t side : {kUserSide, kItemSide}) {
    const std::vector<std::uint64_t>& cuts = common.cuts[side];
    if (!cuts.empty() && (cuts.size() != job.shards + std::size_t{1} || cuts.front() != 0 ||
                          cuts.back() != common.rows(side) || !std::ranges::is_sorted(cuts)))
      return false;
    const auto is_its = [&](const Rating& one) {
      return one.of[side] < common.rows(side) && common.shard_of(side, one.of[side], job.shards) == shard &&
             one.of[kItemSide - side] < common.rows(kItemSide - side) && std::isfinite(one.value);
    };
    if (!of[side].fits(common.numbers(side, shard, job.shards), common.rows(kItemSide - side)) ||
        !std::ranges::all_of(held_out[side], is_its))
      return false;
  }
  return true;
}

void cut_ranges(Common& common, std::uint32_t shards) {
  constexpr std::uint64_t kRowWork = 8;  // of a row, in units of ratings: it is solved, sent and received
  for (const std::uint32_t side : {kUserSide, kItemSide}) {
    std::vector<std::uint64_t> work(common.counts[side].begin(), common.counts[side].end());
    for (std::uint64_t& one : work) one += kRowWork;
    common.cuts[side] = cut_by_work(work, shards);
  }
}

namespace {

// The rows of items from those of users, all of which are here.
void turn(const Common& common, std::uint32_t shards, HostedShards<ShardRatings>& all) {
  const auto for_each = [&](auto take) {  // in the order of users
    std::vector<std::size_t> next(shards);
    for (std::uint32_t user = 0; user < common.rows(kUserSide); ++user) {
      const ShardId shard = common.shard_of(kUserSide, user, shards);
      for (const Partner& one : all.of_shard(shard)->of[kUserSide].row(next[shard]++)) take(user, one);
    }
  };
  std::vector<std::uint32_t> sizes(common.rows(kItemSide));
  for_each([&](std::uint32_t, const Partner& one) { ++sizes[one.number]; });
  std::vector<Partner*> places(sizes.size());
  for (ShardId s = 0; s < shards; ++s) {
    const RowNumbers numbers = common.numbers(kItemSide, s, shards);
    RatingRows& rows = all.of_shard(s)->of[kItemSide] = RatingRows(numbers, sizes);
    rows.partners.resize(rows.begins.back());
    for (std::uint32_t i = 0; i < numbers.count; ++i)
      places[numbers.first + i * numbers.step] = rows.partners.data() + rows.begins[i];
  }
  for_each([&](std::uint32_t user, const Partner& one) { *places[one.number]++ = {user, one.value}; });
}

}  // namespace

std::vector<ShardRatings> deal(AllRatings& all, std::uint32_t shards, std::span<const ShardId> hosted,
                               std::array<bool, 2> sides, bool add_up, bool in_place) {
  using Lists = std::array<std::vector<Rating>, 2>;
  const Common& common = all.common;
  HostedShards<ShardRatings> out(shards, hosted);
  HostedShards<Lists> lists(shards, hosted);
  const auto give = [&](const Rating& one, auto lists_of) {
    for (const std::uint32_t side : {kUserSide, kItemSide})
      if (sides[side])
        if (Lists* const its = lists_of(common.shard_of(side, one.of[side], shards))) (*its)[side].push_back(one);
  };
  for (const Rating& one : all.held_out)
    give(one, [&](ShardId s) { return out.of_shard(s) == nullptr ? nullptr : &out.of_shard(s)->held_out; });

  // Lists, and then rows in their place, so that there is little more than one copy in any order of the files.
  const bool turned = sides[kUserSide] && sides[kItemSide] && hosted.size() == shards;
  const bool seen = all.seen && in_place && (turned || !sides[kItemSide]);
  for (const std::uint32_t side : {kUserSide, kItemSide})
    for (const ShardId s : hosted) {
      RatingRows& rows = out.of_shard(s)->of[side] = RatingRows(common.numbers(side, s, shards), common.counts[side]);
      if (seen && side == kUserSide) rows.seen = all.seen;
    }
  if (seen) sides[kUserSide] = false;
  if (turned) sides[kItemSide] = false;
  for (const std::uint32_t side : {kUserSide, kItemSide})
    for (const ShardId s : hosted)
      if (sides[side]) (*lists.of_shard(s))[side].reserve(out.of_shard(s)->of[side].ratings());
  const auto give_listed = [&](const Rating& one) { give(one, [&](ShardId s) { return lists.of_shard(s); }); };
  if (all.seen && !seen) all.for_each(give_listed);
  all.trained.hand_over(give_listed);
  for (const ShardId s : hosted)
    for (const std::uint32_t side : {kUserSide, kItemSide}) {
      if (!sides[side]) continue;
      RatingRows& rows = out.of_shard(s)->of[side];
      rows = RatingRows(std::exchange((*lists.of_shard(s))[side], {}), side, common.numbers(side, s, shards));
      if (side == kItemSide) rows.sort();
      if (add_up) rows.add_up();
    }
  if (turned) turn(common, shards, out);
  return std::move(out.all());
}

}  // namespace rota::mf
