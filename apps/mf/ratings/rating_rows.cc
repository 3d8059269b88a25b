#include "apps/mf/ratings/rating_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rota::mf {
namespace {

// The fixed cost of a row, in units of ratings: it is solved, sent and received.
constexpr std::uint64_t kRowWork = 8;

bool before(const Partner& a, const Partner& b) {
  return a.number < b.number;
}

void add_up_rows(RatingRows& rows) {
  RatingRows out;
  out.first = rows.first;
  out.step = rows.step;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::vector<Partner> row(rows.row(i).begin(), rows.row(i).end());
    add_up(row);
    out.partners.insert(out.partners.end(), row.begin(), row.end());
    out.begins.push_back(out.partners.size());
  }
  rows = std::move(out);
}

}  // namespace

void add_up(std::vector<Partner>& ratings) {
  std::stable_sort(ratings.begin(), ratings.end(), before);
  std::size_t end = 0;
  for (const Partner& one : ratings) {
    if (end > 0 && ratings[end - 1].number == one.number)
      ratings[end - 1].value += one.value;
    else
      ratings[end++] = one;
  }
  ratings.resize(end);
}

std::uint64_t Dealing::filled() const {
  if (!ranges()) return std::min<std::uint64_t>(rows, shards);
  std::uint64_t filled = 0;
  for (ShardId s = 0; s < shards; ++s) filled += count(s) > 0 ? 1 : 0;
  return filled;
}

Dealing deal_ranges(std::span<const std::uint32_t> ratings, std::uint32_t shards) {
  std::vector<std::uint64_t> work(ratings.begin(), ratings.end());
  for (std::uint64_t& one : work) one += kRowWork;
  return {shards, ratings.size(), cut_by_work(work, shards)};
}

std::vector<RatingRows> rating_rows(const std::vector<Rating>& ratings, std::uint32_t side, const Dealing& dealing,
                                    std::span<const ShardId> hosted, bool sums) {
  std::vector<RatingRows> out(hosted.size());
  std::vector<std::pair<RatingRows*, std::size_t>> places(dealing.rows);  // of the rows of hosted shards
  for (std::size_t h = 0; h < hosted.size(); ++h) {
    out[h].first = static_cast<std::uint32_t>(dealing.first(hosted[h]));
    out[h].step = dealing.step();
    out[h].begins.assign(dealing.count(hosted[h]) + 1, 0);
    for (std::size_t i = 0; i < out[h].rows(); ++i) places[out[h].number(i)] = {&out[h], i};
  }
  // begins[i] is the place of the next rating of row i, and so at the end the begin of row i + 1, until it is shifted.
  for (const Rating& one : ratings)
    if (const auto& [rows, i] = places[one.of[side]]; rows) ++rows->begins[i];
  for (RatingRows& rows : out) {
    std::exclusive_scan(rows.begins.begin(), rows.begins.end(), rows.begins.begin(), std::size_t{0});
    rows.partners.resize(rows.begins.back());
  }
  for (const Rating& one : ratings)
    if (const auto& [rows, i] = places[one.of[side]]; rows)
      rows->partners[rows->begins[i]++] = {one.of[kItemSide - side], one.value};
  for (RatingRows& rows : out) {
    std::rotate(rows.begins.begin(), rows.begins.end() - 1, rows.begins.end());
    rows.begins.front() = 0;
    for (std::size_t i = 0; i < rows.rows() && dealing.ranges(); ++i)
      std::stable_sort(rows.partners.begin() + static_cast<std::ptrdiff_t>(rows.begins[i]),
                       rows.partners.begin() + static_cast<std::ptrdiff_t>(rows.begins[i + 1]), before);
    if (sums) add_up_rows(rows);
  }
  return out;
}

}  // namespace rota::mf
