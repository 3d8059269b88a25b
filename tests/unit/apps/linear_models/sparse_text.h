// tests/unit/apps/linear_models/sparse_text.h -- LIBSVM text of a sparse matrix of random rows.
#pragma once
#include <cstdint>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace rota::tests {

// Every column has values in `per_column` rows; the response is a sum of every twentieth column.
inline std::string sparse_text(std::uint32_t rows, std::uint32_t columns, std::uint32_t per_column) {
  std::mt19937_64 random(1);
  std::vector<std::string> entries(rows);
  std::vector<double> response(rows);
  char text[64];
  for (std::uint32_t column = 1; column <= columns; ++column) {
    std::set<std::uint32_t> drawn;
    while (drawn.size() < per_column) drawn.insert(static_cast<std::uint32_t>(random() % rows));
    for (const std::uint32_t row : drawn) {
      const double value = static_cast<double>(random() >> 11) * 0x1p-53;
      std::snprintf(text, sizeof text, " %u:%.17g", column, value);
      entries[row] += text;
      if (column % 20 == 1) response[row] += value;
    }
  }
  std::string all;
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::snprintf(text, sizeof text, "%.17g", response[row]);
    all += text + entries[row] + "\n";
  }
  return all;
}

}  // namespace rota::tests
