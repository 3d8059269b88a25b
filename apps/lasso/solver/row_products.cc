#include "apps/lasso/solver/row_products.h"

namespace rota::lasso {

std::vector<double> row_products(std::span<const SparseRows> rows, std::span<const double> root,
                                 std::span<const std::uint32_t> slot_of, std::size_t slots) {
  std::vector<double> sums(slots * (slots + 1) / 2, 0.0);
  std::vector<std::uint32_t> slot(slots);
  std::vector<double> value(slots);
  for (std::size_t i = 0; i < root.size(); ++i) {
    const double by = root[i];
    if (by == 0) continue;
    std::size_t count = 0;
    for (const SparseRows& group : rows) {
      const std::size_t end = group.begin[i + 1];
      for (std::size_t e = group.begin[i]; e < end; ++e) {
        const std::size_t t = slot_of[group.column[e]];
        if (t >= slots) continue;
        const double x = group.value[e] * by;
        double* const to = sums.data() + t * (t + 1) / 2;
        for (std::size_t k = 0; k < count; ++k) to[slot[k]] += x * value[k];
        to[t] += x * x;
        slot[count] = static_cast<std::uint32_t>(t);
        value[count++] = x;
      }
    }
  }
  return sums;
}

}  // namespace rota::lasso
