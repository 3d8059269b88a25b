// apps/lasso/solver/gram.cc
#include "apps/lasso/solver/gram.h"

#include <algorithm>
#include <cmath>

#include "rota/numerics/widest_registers.h"

namespace rota::lasso {
namespace {

// Inner products, each summed in a fixed order, by the methods that are the fastest for sparse and filled columns.

// Columns that fill many rows are laid out a few rows at a time, so that the processor multiplies several numbers at
// once.
struct ProductColumns {
  const WorkingColumns& columns;
  std::span<const double> root;  // sqrt(h_i)
};

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
ROTA_WIDEST_REGISTERS void add_numbers(const double* __restrict from, double by, std::size_t count,
                                       double* __restrict to) {
  for (std::size_t k = 0; k < count; ++k) to[k] += by * from[k];
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

// Among `filled`: of number d = old, old + 1, ... its products with numbers 0 .. d, one after the other.
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

// Of sparse number s with filled number d, at s * filled.size() + d.  Those of the first `old_sparse` with the first
// `old_filled` are left out and are 0.
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
      sparse_readers[s].next(at, at + kChunk, [&](std::size_t i, double number) {
        add_numbers(chunk.data() + i * width + from, number, width - from, to + from);
      });
    }
  }
  return products;
}

constexpr std::size_t kMostByRow = 512;  // columns whose products stay in the cache
// Numbers that are laid out by row at once, of 12 bytes each: as many as stay in the cache, because columns write to
// rows far apart.  About, because rows differ in length.
constexpr std::size_t kLaidOut = std::size_t{1} << 15;

// The numbers of sparse members in some rows, row after row, each times the root of its weight.
struct RowBlock {
  std::vector<std::uint32_t> begin;   // of every row's part; one more than rows
  LargeVector<std::uint32_t> member;  // ascending in a row
  LargeVector<double> value;
};

// Adds the products of the block's `Width` numbers from `at` on with those from `begin` on that are before them, and
// with one another.  Several at once: the processor loads one number's sum while it adds another's, and the loop is
// longer.
template <std::size_t Width, typename Sums>
[[gnu::always_inline]] inline void add_row_products(const RowBlock& block, std::size_t begin, std::size_t at,
                                                    const Sums& sums_of) {
  double x[Width];
  double* to[Width];
  for (std::size_t c = 0; c < Width; ++c) {
    x[c] = block.value[at + c];
    to[c] = sums_of(block.member[at + c]);
  }
  for (std::size_t k = begin; k < at; ++k) {
    const std::uint32_t s = block.member[k];
    const double value = block.value[k];
    for (std::size_t c = 0; c < Width; ++c) to[c][s] += x[c] * value;
  }
  for (std::size_t c = 0; c < Width; ++c)
    for (std::size_t d = 0; d <= c; ++d) to[c][block.member[at + d]] += x[c] * x[d];
}

}  // namespace

void Gram::begin(std::span<const double> weights) {
  columns_.clear();
  member_of_.clear();
  product_ = {};
  weights_ = weights;
  root_ = {};
}

void Gram::add(const WorkingColumns& columns, std::span<const std::uint32_t> added) {
  if (root_.empty()) {
    root_.resize(weights_.size());
    for (std::size_t i = 0; i < weights_.size(); ++i) root_[i] = std::sqrt(weights_[i]);
  }
  const std::size_t old = columns_.size();
  columns_.insert(columns_.end(), added.begin(), added.end());
  member_of_.resize(columns.size(), kNone);
  product_.resize(place(columns_.size(), 0), 0.0);
  std::vector<std::uint32_t> filled, sparse, filled_members, sparse_members;
  std::size_t old_filled = 0, old_sparse = 0;
  for (std::uint32_t m = 0; m < columns_.size(); ++m) {
    const bool is_filled = columns.well_filled(columns_[m]);
    member_of_[columns_[m]] = m;
    (is_filled ? filled : sparse).push_back(columns_[m]);
    (is_filled ? filled_members : sparse_members).push_back(m);
    if (m < old) ++(is_filled ? old_filled : old_sparse);
  }
  const ProductColumns of{columns, root_};
  const std::vector<double> among_filled = filled_products(of, filled, old_filled);
  for (std::size_t d = old_filled, at = 0; d < filled.size(); ++d)
    for (std::size_t e = 0; e <= d; ++e) product_[place(filled_members[d], filled_members[e])] = among_filled[at++];
  const std::vector<double> mixed = mixed_products(of, sparse, old_sparse, filled, old_filled);
  for (std::size_t s = 0; s < sparse.size(); ++s)
    for (std::size_t d = s < old_sparse ? old_filled : 0; d < filled.size(); ++d)
      product_[place(sparse_members[s], filled_members[d])] = mixed[s * filled.size() + d];
  add_sparse(columns, sparse_members, old_sparse);
}

// Products of sparse columns with one another: all at once, row by row, if most of the sparse numbers are those of
// added columns and the sums stay in the cache; else of each added one through its rows.
void Gram::add_sparse(const WorkingColumns& columns, std::span<const std::uint32_t> sparse, std::size_t old) {
  if (old == sparse.size()) return;
  std::size_t numbers = 0, added = 0;
  for (std::size_t s = 0; s < sparse.size(); ++s) {
    numbers += columns.rows_of(columns_[sparse[s]]).size();
    if (s >= old) added += columns.rows_of(columns_[sparse[s]]).size();
  }
  const bool at_once = sparse.size() >= old + 2 && sparse.size() <= kMostByRow && 4 * added >= numbers;
  for (std::size_t s = 0; at_once && s < old; ++s)
    for (std::size_t t = 0; t <= s; ++t) product_[place(sparse[s], sparse[t])] = 0;

  RowBlock block;
  const std::size_t rows = columns.rows(), step = std::min(rows, rows / (numbers / kLaidOut + 1) + 1);
  std::vector<std::size_t> first(sparse.size(), 0), end(sparse.size(), 0);  // of every member's numbers in the block
  for (std::size_t at = 0; at < rows; at += step) {
    first.swap(end);
    block.begin.assign(step + 1, 0);
    for (std::size_t s = 0; s < sparse.size(); ++s) {
      const auto its = columns.rows_of(columns_[sparse[s]]);
      for (end[s] = first[s]; end[s] < its.size() && its[end[s]] < at + step; ++end[s]) ++block.begin[its[end[s]] - at];
    }
    std::uint32_t total = 0;
    for (std::uint32_t& one : block.begin) one = total += one;  // the end of every row's part
    block.member.resize(total);
    block.value.resize(total);
    for (std::size_t s = sparse.size(); s-- > 0;) {
      const auto its = columns.rows_of(columns_[sparse[s]]);
      const auto values = columns.values_of(columns_[sparse[s]]);
      for (std::size_t e = first[s]; e < end[s]; ++e) {
        const std::uint32_t to = --block.begin[its[e] - at];
        block.member[to] = sparse[s];
        block.value[to] = values[e] * root_[its[e]];
      }
    }
    const auto sums_of = [this](std::uint32_t member) { return product_.data() + place(member, 0); };
    for (std::size_t i = 0; at_once && i < step; ++i) {
      const std::size_t begin = block.begin[i], stop = block.begin[i + 1];
      std::size_t k = begin;
      for (; k + 4 <= stop; k += 4) add_row_products<4>(block, begin, k, sums_of);
      for (; k + 2 <= stop; k += 2) add_row_products<2>(block, begin, k, sums_of);
      if (k < stop) add_row_products<1>(block, begin, k, sums_of);
    }
    for (std::size_t s = at_once ? sparse.size() : old; s < sparse.size(); ++s) {
      const auto its = columns.rows_of(columns_[sparse[s]]);
      const auto values = columns.values_of(columns_[sparse[s]]);
      double* const sums = sums_of(sparse[s]);
      for (std::size_t e = first[s]; e < end[s]; ++e) {
        const double value = values[e] * root_[its[e]];
        for (std::size_t k = block.begin[its[e] - at]; block.member[k] < sparse[s]; ++k)
          sums[block.member[k]] += value * block.value[k];
        sums[sparse[s]] += value * value;
      }
    }
  }
}

void Gram::keep(const std::vector<bool>& keep) {
  std::vector<std::uint32_t> position(keep.size(), kNone), kept;
  std::uint32_t positions = 0;
  for (std::size_t j = 0; j < keep.size(); ++j)
    if (keep[j]) position[j] = positions++;
  for (std::uint32_t m = 0; m < columns_.size(); ++m)
    if (keep[columns_[m]]) kept.push_back(m);
  for (std::size_t a = 0; a < kept.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b) product_[place(a, b)] = product_[place(kept[a], kept[b])];
  product_.resize(place(kept.size(), 0));
  member_of_.assign(positions, kNone);
  for (std::uint32_t a = 0; a < kept.size(); ++a) {
    columns_[a] = position[columns_[kept[a]]];
    member_of_[columns_[a]] = a;
  }
  columns_.resize(kept.size());
}

}  // namespace rota::lasso
