// tests/unit/apps/kmeans/plain_rows.h -- small data, and k-means by plain loops over it.
#pragma once
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "rota/io/sparse_matrix.h"
#include "rota/random.h"

namespace rota::tests {

using Dense = std::vector<std::vector<double>>;  // rows of numbers

inline io::SparseMatrix sparse(const Dense& dense) {
  io::SparseMatrix rows;
  for (const auto& numbers : dense) {
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    for (std::uint32_t j = 0; j < numbers.size(); ++j)
      if (numbers[j] != 0) columns.push_back(j), values.push_back(numbers[j]);
    rows.add({columns, values});
  }
  return rows;
}

// About half of the numbers are 0.
inline Dense random_rows(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Random random({seed, 1, 2, 3});
  Dense out(rows, std::vector<double>(columns));
  for (auto& row : out)
    for (double& x : row) x = random.uniform() < 0.5 ? 0 : 2 * random.uniform() - 1;
  return out;
}

inline double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

// The table of sums and counts (apps/kmeans/centres.h) of these members.
inline std::vector<double> table_of(const Dense& rows, const std::vector<std::uint32_t>& cluster, std::size_t columns,
                                    std::uint32_t clusters) {
  std::vector<double> table((columns + 1) * clusters);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t j = 0; j < columns; ++j) table[j * clusters + cluster[r]] += rows[r][j];
    table[columns * clusters + cluster[r]] += 1;
  }
  return table;
}

}  // namespace rota::tests
