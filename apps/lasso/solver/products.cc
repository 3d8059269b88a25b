// apps/lasso/solver/products.cc
#include "apps/lasso/solver/products.h"

#include <algorithm>

#include "rota/numerics/widest_registers.h"

namespace rota::lasso {
namespace {

constexpr std::size_t kChunk = 256;  // rows whose numbers stay in the cache while all pairs of columns are summed
constexpr std::size_t kLanes = 8;

// Adds sum_i a_i b_i over a chunk to `to`, for `Width` columns b one after the other: in running parts that the
// processor can add at once.
template <std::size_t Width>
[[gnu::always_inline]] inline void add_products(const double* __restrict a, const double* __restrict b,
                                                double* __restrict to) {
  double part[Width][kLanes] = {};
  for (std::size_t i = 0; i < kChunk; i += kLanes)
    for (std::size_t k = 0; k < Width; ++k)
      for (std::size_t lane = 0; lane < kLanes; ++lane) part[k][lane] += a[i + lane] * b[k * kChunk + i + lane];
  for (std::size_t k = 0; k < Width; ++k) {
    const double* const p = part[k];
    to[k] += ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
  }
}

// Of columns d = old .. count-1 of a chunk, one after the other in `chunk`, the products with columns 0 .. d.
ROTA_WIDEST_REGISTERS void add_chunk(const double* chunk, std::size_t old, std::size_t count, double* to) {
  for (std::size_t d = old; d < count; ++d) {
    std::size_t e = 0;
    for (; e + 4 <= d + 1; e += 4, to += 4) add_products<4>(chunk + d * kChunk, chunk + e * kChunk, to);
    for (; e <= d; ++e, ++to) add_products<1>(chunk + d * kChunk, chunk + e * kChunk, to);
  }
}

// to_k += by * from_k
[[gnu::always_inline]] inline void add_numbers(const double* __restrict from, double by, std::size_t count,
                                               double* __restrict to) {
  for (std::size_t k = 0; k < count; ++k) to[k] += by * from[k];
}

ROTA_WIDEST_REGISTERS void add_many_numbers(const double* __restrict from, double by, std::size_t count,
                                            double* __restrict to) {
  add_numbers(from, by, count, to);
}

// Reads a column's numbers in chunks of rows.
class ChunkReader {
 public:
  ChunkReader(const ProductColumns& of, std::uint32_t column)
      : root_(of.root.data()), rows_(of.columns.rows_of(column)), values_(of.columns.values_of(column)) {}

  // Calls take(i, number) for the numbers of the next rows at + i, at + i < end, each times the root of its weight.
  template <typename Take>
  void next(std::size_t at, std::size_t end, const Take& take) {
    if (rows_.empty()) {
      for (std::size_t i = at; i < end && i < values_.size(); ++i) take(i - at, values_[i] * root_[i]);
      return;
    }
    for (; next_ < rows_.size() && rows_[next_] < end; ++next_)
      take(rows_[next_] - at, values_[next_] * root_[rows_[next_]]);
  }

 private:
  const double* root_;
  std::span<const std::uint32_t> rows_;  // empty: the column is stored dense
  std::span<const double> values_;
  std::size_t next_ = 0;
};

std::vector<ChunkReader> readers_of(const ProductColumns& of, std::span<const std::uint32_t> columns) {
  std::vector<ChunkReader> readers;
  readers.reserve(columns.size());
  for (const std::uint32_t column : columns) readers.emplace_back(of, column);
  return readers;
}

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
[[gnu::always_inline]] inline void add_row_products(const Row& row, std::size_t at) {
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
    for (; at + 4 <= count; at += 4) add_row_products<4>(row, at);
    if (at + 2 <= count) {
      add_row_products<2>(row, at);
      at += 2;
    }
    if (at < count) add_row_products<1>(row, at);
  }
  return sums;
}

std::vector<double> filled_products(const ProductColumns& of, std::span<const std::uint32_t> filled, std::size_t old) {
  const auto before = [](std::size_t d) { return d * (d + 1) / 2; };
  std::vector<double> products(before(filled.size()) - before(old), 0.0);
  if (products.empty()) return products;
  std::vector<ChunkReader> readers = readers_of(of, filled);
  std::vector<double> chunk(filled.size() * kChunk);
  for (std::size_t at = 0; at < of.root.size(); at += kChunk) {
    std::fill(chunk.begin(), chunk.end(), 0.0);
    for (std::size_t d = 0; d < filled.size(); ++d)
      readers[d].next(at, at + kChunk, [&](std::size_t i, double number) { chunk[d * kChunk + i] = number; });
    add_chunk(chunk.data(), old, filled.size(), products.data());
  }
  return products;
}

std::vector<double> mixed_products(const ProductColumns& of, std::span<const std::uint32_t> sparse,
                                   std::size_t old_sparse, std::span<const std::uint32_t> filled,
                                   std::size_t old_filled) {
  const std::size_t width = filled.size();
  std::vector<double> products(sparse.size() * width, 0.0);
  const bool any_new = old_sparse < sparse.size() || old_filled < width;
  if (products.empty() || !any_new) return products;
  std::vector<ChunkReader> sparse_readers = readers_of(of, sparse), filled_readers = readers_of(of, filled);
  std::vector<double> chunk(width * kChunk);  // row after row
  for (std::size_t at = 0; at < of.root.size(); at += kChunk) {
    std::fill(chunk.begin(), chunk.end(), 0.0);
    for (std::size_t d = 0; d < width; ++d)
      filled_readers[d].next(at, at + kChunk, [&](std::size_t i, double number) { chunk[i * width + d] = number; });
    for (std::size_t s = 0; s < sparse.size(); ++s) {
      const std::size_t from = s < old_sparse ? old_filled : 0;
      if (from == width) continue;
      double* const to = products.data() + s * width;
      if (width - from < kLanes) {  // a call would take longer
        sparse_readers[s].next(at, at + kChunk, [&](std::size_t i, double number) {
          add_numbers(chunk.data() + i * width + from, number, width - from, to + from);
        });
        continue;
      }
      sparse_readers[s].next(at, at + kChunk, [&](std::size_t i, double number) {
        add_many_numbers(chunk.data() + i * width + from, number, width - from, to + from);
      });
    }
  }
  return products;
}

}  // namespace rota::lasso
