#include "apps/mf/alternating/factors.h"

#include <algorithm>

namespace rota::mf {

void gather_rows(Factors all, const RowForm& form, std::span<const Partner> partners, double* rows, double* apart) {
  const std::size_t width = form.width();
  for (std::size_t r = 0; r < partners.size(); ++r) {
    const double* const from = all.data() + std::size_t{partners[r].number} * form.size;
    double* const to = rows + r * width;
    std::copy_n(from, form.rank, to);
    std::fill(to + form.rank, to + width, 0.0);
    if (form.biases()) to[form.rank] = 1;
    apart[r] = form.base + (form.biases() ? from[form.rank] : 0);
  }
}

void widen(Factors all, const RowForm& form, std::size_t row, double* out) {
  std::copy_n(all.data() + row * form.size, form.size, out);
  std::fill(out + form.size, out + form.width(), 0.0);
}

void gram(Factors all, const RowForm& form, LineVector<double>& out) {
  constexpr std::size_t kBlock = 64;
  const std::size_t width = form.width(), count = all.size() / form.size;
  out.assign(width * width, 0.0);
  LineVector<double> rows(kBlock * width);
  for (std::size_t first = 0; first < count; first += kBlock) {
    const std::size_t some = std::min(kBlock, count - first);
    for (std::size_t r = 0; r < some; ++r) widen(all, form, first + r, rows.data() + r * width);
    add_squares(rows.data(), rows.data(), some, width, out.data());
  }
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t j = 0; j < i; ++j) out[i * width + j] = out[j * width + i];
}

}  // namespace rota::mf
