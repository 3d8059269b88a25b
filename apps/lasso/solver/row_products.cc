#include "apps/lasso/solver/row_products.h"

namespace rota::lasso {
namespace {

// The numbers of a row that are used, and the sums: of slots s <= t at t * slots + s.
struct Row {
  const std::uint32_t* slot;
  const double* value;
  double* sums;
  std::size_t slots;
};

// Adds the products of `Width` numbers, from `at` on, with those before them and with one another.  Several at once:
// the processor loads one number's sum while it adds another's, and the loop is longer.
template <std::size_t Width>
[[gnu::always_inline]] inline void add_products(const Row& row, std::size_t at) {
  double x[Width];
  double* to[Width];
  for (std::size_t c = 0; c < Width; ++c) {
    x[c] = row.value[at + c];
    to[c] = row.sums + row.slot[at + c] * row.slots;
  }
  for (std::size_t k = 0; k < at; ++k) {
    const std::uint32_t s = row.slot[k];
    const double value = row.value[k];
    for (std::size_t c = 0; c < Width; ++c) to[c][s] += x[c] * value;
  }
  for (std::size_t c = 0; c < Width; ++c)
    for (std::size_t d = 0; d <= c; ++d) to[c][row.slot[at + d]] += x[c] * x[d];
}

}  // namespace

std::vector<double> row_products(std::span<const SparseRows> rows, std::span<const double> root,
                                 std::span<const std::uint32_t> slot_of, std::size_t slots) {
  std::vector<double> sums(slots * slots, 0.0);
  std::vector<std::uint32_t> slot(slots + 1);
  std::vector<double> value(slots + 1);
  const Row row{slot.data(), value.data(), sums.data(), slots};
  for (std::size_t i = 0; i < root.size(); ++i) {
    if (root[i] == 0) continue;
    std::size_t count = 0;
    for (const SparseRows& group : rows) {
      const std::size_t end = group.begin[i + 1];
      for (std::size_t e = group.begin[i]; e < end; ++e) {
        slot[count] = slot_of[group.column[e]];
        value[count] = group.value[e] * root[i];
        count += slot[count] < slots ? 1 : 0;
      }
    }
    std::size_t at = 0;
    for (; at + 4 <= count; at += 4) add_products<4>(row, at);
    if (at + 2 <= count) {
      add_products<2>(row, at);
      at += 2;
    }
    if (at < count) add_products<1>(row, at);
  }
  return sums;
}

}  // namespace rota::lasso
