// apps/mf/ratings.h -- ratings from files of any format that io/entry_reader.h knows (a user, an item, a rating, and
// perhaps a time), with users and items by number, all of them and by shard.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/mf/seen_ratings.h"
#include "apps/mf/settings.h"
#include "rota/io/vocabulary.h"
#include "rota/shards.h"

namespace rota::mf {

// The form of entries that are ratings of this kind, and the rating of one.  Throws DataError.
io::EntryForm entries_of(io::EntryForm form, RatingKind kind);
double rating_of(const io::EntryReader& reader, const io::Entry& entry, RatingKind kind);

// Factors and stored ratings are floats, which values derived from larger or smaller ratings might exceed.
inline bool is_rating(double value) {
  constexpr double kLargest = 1e15, kSmallest = 1e-30;
  return std::abs(value) <= kLargest && (value == 0 || std::abs(value) >= kSmallest);
}
// See Common::origin.
inline bool is_near(double value, double origin) {
  constexpr double kNear = 1.0 / 1024;
  return origin == 0 || std::abs(value - origin) <= kNear * std::abs(origin);
}

// Calls take(reader, entry, rating) for every rating of the files.  Throws NoInput or DataError.
template <typename Take>
void for_each_rating(const std::vector<std::string>& files, const io::EntryForm& form, RatingKind kind, Take take) {
  io::for_each_entry(files, entries_of(form, kind), [&](const io::EntryReader& reader, const io::Entry& entry) {
    const double value = rating_of(reader, entry, kind);
    if (kind != RatingKind::counts || value != 0) take(reader, entry, value);
  });
}

// The two sides: also the numbers of their tables.
inline constexpr std::uint32_t kUserSide = 0, kItemSide = 1;

struct Rating {
  std::array<std::uint32_t, 2> of;  // the user, the item
  float value;                      // less Common::origin
  void fields(auto& list) { list(of, value); }
};

// Ratings in the order in which they were added, in pieces whose memory is freed one by one.
class RatingList {
 public:
  RatingList() = default;
  explicit RatingList(std::span<const Rating> all) {
    for (const Rating& one : all) push_back(one);
  }

  void push_back(const Rating& one) {
    if (size_++ % kPiece == 0) pieces_.emplace_back().reserve(kPiece);
    pieces_.back().push_back(one);
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Rating& operator[](std::size_t i) const { return pieces_[i / kPiece][i % kPiece]; }
  auto all() { return std::views::join(pieces_); }
  auto all() const { return std::views::join(pieces_); }
  // Calls take(rating) for all of them, which are gone afterwards.
  template <typename Take>
  void hand_over(Take take) {
    for (std::vector<Rating>& piece : pieces_)
      for (const std::vector<Rating> its = std::move(piece); const Rating& one : its) take(one);
    *this = {};
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 22;  // large enough to be given back to the system when freed

  std::vector<std::vector<Rating>> pieces_;
  std::size_t size_ = 0;
};

// Held-out ratings of an unknown user or item, which are scored with the mean as prediction.
struct UnknownRatings {
  std::uint64_t count = 0;
  double sum = 0;                                  // of the ratings
  double squared_errors = 0, absolute_errors = 0;  // of the mean

  void fields(auto& list) {
    list(count, sum, squared_errors, absolute_errors);
    list.check(std::isfinite(sum + squared_errors + absolute_errors) && squared_errors >= 0 && absolute_errors >= 0);
  }
};

// Which users, or items, a shard has: row i is that of number first + i step.
struct RowNumbers {
  std::uint32_t first, step, count;
  std::uint32_t row_of(std::uint32_t number) const { return (number - first) / step; }
};

// What all shards know.
struct Common {
  // Users and items are numbered from 0 in the order of their first occurrence in the files, so that a number depends
  // on the files alone.
  std::array<std::vector<std::string>, 2> names;
  std::array<std::vector<std::uint32_t>, 2> counts;  // the number of ratings of each user, of each item
  // If each shard has a range of users and a range of items: where they begin (rota/shards.h).  Else number r is number
  // r / S of shard r mod S.
  std::array<std::vector<std::uint64_t>, 2> cuts;
  double mean = 0;
  double deviation = 1;  // standard deviation; of equal ratings the mean's size, or 1; of labels and counts 1
  // 0, or the first rating if all are within a thousandth of it: stored as floats, such ratings would lose their
  // differences.
  double origin = 0;
  std::uint64_t ratings = 0;
  UnknownRatings unknown;

  std::size_t rows(std::uint32_t side) const { return counts[side].size(); }
  ShardId shard_of(std::uint32_t side, std::uint32_t row, std::uint32_t shards) const {
    if (cuts[side].empty()) return row % shards;
    return static_cast<ShardId>(std::ranges::upper_bound(cuts[side], row) - cuts[side].begin() - 1);
  }
  RowNumbers numbers(std::uint32_t side, ShardId shard, std::uint32_t shards) const {
    if (cuts[side].empty()) return {shard, shards, static_cast<std::uint32_t>(dealt_to(shard, rows(side), shards))};
    const auto cut = [&](ShardId s) { return static_cast<std::uint32_t>(cuts[side][s]); };
    return {cut(shard), 1, cut(shard + 1) - cut(shard)};
  }
  void fields(auto& list) {
    list(names, counts, cuts, mean, deviation, origin, ratings, unknown);
    list.check(ratings > 0 && std::isfinite(mean) && std::isfinite(deviation) && deviation > 0 &&
               std::isfinite(origin));
    for (const std::uint32_t side : {kUserSide, kItemSide})
      list.check(rows(side) <= io::kMostWords && names[side].size() == rows(side) &&
                 std::accumulate(counts[side].begin(), counts[side].end(), std::uint64_t{0}) == ratings);
  }
};

// A pair that is rated twice has two ratings.
struct AllRatings {
  Common common;
  // In the order of the files: seen in memory, or else listed.
  std::shared_ptr<const SeenRatings> seen;
  RatingList trained;
  std::vector<Rating> held_out;  // the same, of known users and items

  // Calls take(rating) for all that are trained.
  template <typename Take>
  void for_each(Take take) const {
    for (std::uint32_t user = 0; seen && user < seen->users(); ++user)
      for (const Partner& one : seen->row(user)) take(Rating{{user, one.number}, one.value});
    for (const Rating& one : trained.all()) take(one);
  }
};
// Throws NoInput, or DataError, with file and line, or because there are no ratings.
AllRatings read_ratings(const std::vector<std::string>& input, const std::vector<std::string>& valid,
                        const io::EntryForm& form, RatingKind kind);

// The ratings of a shard's users, or of its items, row after row: here, or seen in memory.
struct RatingRows {
  std::uint64_t first = 0;                  // of a range: row i is that of user, or item, first + i
  std::vector<std::uint64_t> begins = {0};  // of the rows in partners, and its end
  std::vector<Partner> partners;            // a user's in the order of the files; an item's by number
  std::shared_ptr<const SeenRatings> seen;  // of a range of users: in place of partners
  float scale = 1;                          // of what is seen

  RatingRows() = default;
  // Rows of these numbers of ratings, which are not here.
  RatingRows(const RowNumbers& numbers, std::span<const std::uint32_t> counts);
  // In the order given.
  RatingRows(const std::vector<Rating>& ratings, std::uint32_t side, const RowNumbers& numbers);
  // By number, equal ones as they are.
  void sort();
  // Merges ratings of the same pair into their sum, in the place of the first.
  void add_up();
  void multiply(float by);
  // Rows for these numbers, with partners below that many.
  bool fits(const RowNumbers& numbers, std::uint64_t others) const;
  std::size_t rows() const { return begins.size() - 1; }
  std::size_t ratings() const { return begins.back(); }
  std::size_t ratings(std::size_t i) const { return begins[i + 1] - begins[i]; }
  // Valid until the next call.
  std::span<const Partner> row(std::size_t i) const {
    return seen ? seen->row(first + i, scale) : std::span(partners).subspan(begins[i], ratings(i));
  }
  // use(number_of), which gives the number of a row's rating j: less to read than the row.
  template <typename Use>
  auto with_numbers(std::size_t i, Use use) const {
    if (!seen) return use([its = row(i)](std::size_t j) { return its[j].number; });
    return use([its = seen->numbers(first + i)](std::size_t j) { return its[j]; });
  }
  void fields(auto& list) { list(first, begins, partners); }
};

// Those of one shard: of its users, and of its items.
struct ShardRatings {
  std::array<RatingRows, 2> of;
  std::array<std::vector<Rating>, 2> held_out;

  void fields(auto& list) { list(of, held_out); }
  std::uint64_t items() const { return of[kUserSide].ratings(); }
  bool fits(const Common& common, const Job& job, ShardId shard) const;
};

// Cuts users and items into ranges of about equal work.
void cut_ranges(Common& common, std::uint32_t shards);
// The hosted shards, in their order, with their ratings on these sides, those of a pair in one if they are to `add_up`.
// On the other sides they have the numbers of ratings only.  No training ratings are left in `all`, whose memory is
// freed on the way.  `in_place`: users have ranges, and rows of users that are seen in memory stay there.
std::vector<ShardRatings> deal(AllRatings& all, std::uint32_t shards, std::span<const ShardId> hosted,
                               std::array<bool, 2> sides = {true, true}, bool add_up = false, bool in_place = false);

}  // namespace rota::mf
