// rota/io/sparse_line.h -- a line of LIBSVM text as a row of its own, for small apps.  libsvm.h reads whole files
// faster.
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "rota/io/line_fields.h"

namespace rota::io {

struct SparseRow {
  double label = 0;
  std::vector<std::pair<std::uint32_t, double>> entries;  // column, from 0, and value
};

// "label index:value ...": indices count from 1 and ascend.  False if the line is something else.
inline bool read_sparse_row(std::string_view line, SparseRow& row) {
  if (!read_field(next_field(line), row.label)) return false;
  for (std::string_view field; !(field = next_field(line)).empty();) {
    const std::size_t colon = field.find(':');
    std::uint32_t index = 0;
    double value = 0;
    if (colon == field.npos || !read_field(field.substr(0, colon), index) || index == 0 ||
        !read_field(field.substr(colon + 1), value) || (!row.entries.empty() && row.entries.back().first >= index - 1))
      return false;
    row.entries.emplace_back(index - 1, value);
  }
  return true;
}

// 1 + the largest column.
inline std::uint64_t columns_of(const std::vector<SparseRow>& rows) {
  std::uint64_t columns = 0;
  for (const SparseRow& row : rows)
    if (!row.entries.empty() && row.entries.back().first >= columns)
      columns = row.entries.back().first + std::uint64_t{1};
  return columns;
}

}  // namespace rota::io
