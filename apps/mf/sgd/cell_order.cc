#include "apps/mf/sgd/cell_order.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace rota::mf {
namespace {

constexpr std::size_t kTileBytes = std::size_t{1} << 18;

void interleave(std::span<CellRating> tile, std::vector<CellRating>& room) {
  room.assign(tile.begin(), tile.end());
  const std::size_t half = (tile.size() + 1) / 2;
  for (std::size_t i = 0; i < tile.size(); ++i) tile[i] = room[i % 2 * half + i / 2];
}

}  // namespace

void order_cell(std::span<CellRating> ratings, std::size_t row_bytes) {
  const auto rows = static_cast<std::uint32_t>(std::max<std::size_t>(1, kTileBytes / row_bytes));
  const auto place = [&](const CellRating& one) {
    return std::make_tuple(one.visiting / rows, one.resident, one.visiting);
  };
  std::stable_sort(ratings.begin(), ratings.end(),
                   [&](const CellRating& a, const CellRating& b) { return place(a) < place(b); });
  std::vector<CellRating> room;
  for (std::size_t begin = 0; begin < ratings.size();) {
    std::size_t end = begin;
    while (end < ratings.size() && ratings[end].visiting / rows == ratings[begin].visiting / rows) ++end;
    interleave(ratings.subspan(begin, end - begin), room);
    begin = end;
  }
}

}  // namespace rota::mf
