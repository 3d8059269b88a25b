// apps/lasso/solver/gram.cc
#include "apps/lasso/solver/gram.h"

#include <algorithm>
#include <cmath>

#include "rota/numerics/widest_registers.h"

namespace rota::lasso {
namespace {

constexpr std::size_t kMostByRow = 512;  // columns whose products stay in the cache

// ---- inner products, each summed in a fixed order, by the methods that are the fastest for sparse and filled columns

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

// Of many sparse columns with one another, row by row: rows are read one after the other, and the sums are few enough
// to stay in the cache.  `rows` are several groups of columns, ascending.  slot_of has a number for every column: below
// `slots`, ascending with the columns, for those that take part.  The product of slots s <= t is at t * slots + s.
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

}  // namespace

void Gram::begin(std::span<const double> weights) {
  root_.clear();
  columns_.clear();
  member_of_.clear();
  filled_.clear();
  sparse_.clear();
  begin_.assign(1, 0);
  partner_.clear();
  product_.clear();
  diagonal_.clear();
  root_.reserve(weights.size());
  for (const double weight : weights) root_.push_back(std::sqrt(weight));
}

void Gram::append_pair(std::uint32_t member, double product) {
  if (product == 0) return;
  partner_.push_back(member);
  product_.push_back(product);
}

// Whether computing products row by row is faster: if most of the sparse numbers are those of added columns.
bool Gram::is_better_by_row(const WorkingColumns& columns, std::span<const std::uint32_t> sparse,
                            std::size_t old) const {
  if (sparse.size() - old < 2 || sparse.size() > kMostByRow) return false;
  std::size_t added = 0, all = 0;
  for (const std::uint32_t column : sparse.subspan(old)) added += columns.rows_of(column).size();
  for (const SparseRows& group : columns.by_row()) all += group.value.size();
  return 4 * added >= all;
}

// slot_of_ has the slots.
std::vector<double> Gram::products_by_row(const WorkingColumns& columns, std::span<const std::uint32_t> sparse) {
  slot_of_.assign(columns.size(), kNone);
  std::vector<std::uint32_t> ascending(sparse.begin(), sparse.end());
  std::sort(ascending.begin(), ascending.end());
  for (std::uint32_t slot = 0; slot < ascending.size(); ++slot) slot_of_[ascending[slot]] = slot;
  slots_ = ascending.size();
  return row_products(columns.by_row(), root_, slot_of_, slots_);
}

// Into sum_: the column's products with all others, or with itself and the preceding ones.
void Gram::sum_along_rows(const WorkingColumns& columns, std::uint32_t column, bool before_only) {
  const auto its_rows = columns.rows_of(column);
  const auto values = columns.values_of(column);
  sum_.assign(columns.size(), 0.0);
  for (const SparseRows& group : columns.by_row()) {
    for (std::size_t e = 0; e < its_rows.size(); ++e) {
      const double root = root_[its_rows[e]], value = values[e] * root;
      const std::size_t end = group.begin[its_rows[e] + 1];
      for (std::size_t at = group.begin[its_rows[e]]; at < end; ++at) {
        if (before_only && group.column[at] > column) break;
        sum_[group.column[at]] += value * (group.value[at] * root);
      }
    }
  }
}

// Stores the products of a sparse column, which are in sum_, or all of them in `products`.
void Gram::append_sparse_pairs(std::uint32_t column, std::span<const double> products) {
  const auto product = [&](std::uint32_t other) {
    if (products.empty()) return sum_[other];
    const std::size_t a = slot_of_[column], b = slot_of_[other], s = std::min(a, b), t = std::max(a, b);
    return products[t * slots_ + s];
  };
  diagonal_.push_back(product(column));
  for (const std::uint32_t member : sparse_) append_pair(member, product(columns_[member]));
}

void Gram::add(const WorkingColumns& columns, std::span<const std::uint32_t> added) {
  const ProductColumns of{columns, root_};
  std::vector<std::uint32_t> filled, sparse;  // columns: members, then added
  for (const std::uint32_t column : columns_) (columns.well_filled(column) ? filled : sparse).push_back(column);
  const std::size_t old_filled = filled.size(), old_sparse = sparse.size();
  for (const std::uint32_t column : added) (columns.well_filled(column) ? filled : sparse).push_back(column);
  const std::vector<double> among_filled = filled_products(of, filled, old_filled);
  const std::vector<double> mixed = mixed_products(of, sparse, old_sparse, filled, old_filled);
  auto next_filled = among_filled.begin();
  std::vector<double> products;  // empty: column by column
  if (is_better_by_row(columns, sparse, old_sparse)) products = products_by_row(columns, sparse);
  const bool before_only = columns_.empty() && std::is_sorted(added.begin(), added.end());
  member_of_.resize(columns.size(), kNone);
  for (const std::uint32_t column : added) {
    const auto member = static_cast<std::uint32_t>(columns_.size());
    const std::size_t filled_number = filled_.size(), sparse_number = sparse_.size();
    if (columns.well_filled(column)) {
      for (const std::uint32_t other : filled_) append_pair(other, *next_filled++);
      diagonal_.push_back(*next_filled++);
      for (std::size_t s = 0; s < sparse_number; ++s) append_pair(sparse_[s], mixed[s * filled.size() + filled_number]);
      filled_.push_back(member);
    } else {
      if (products.empty()) sum_along_rows(columns, column, before_only);
      append_sparse_pairs(column, products);
      for (std::size_t d = 0; d < filled_number; ++d) append_pair(filled_[d], mixed[sparse_number * filled.size() + d]);
      sparse_.push_back(member);
    }
    member_of_[column] = member;
    columns_.push_back(column);
    begin_.push_back(partner_.size());
  }
}

void Gram::keep(const WorkingColumns& columns, const std::vector<bool>& keep) {
  std::vector<std::uint32_t> new_position(keep.size(), kNone);
  std::uint32_t positions = 0;
  for (std::size_t j = 0; j < keep.size(); ++j)
    if (keep[j]) new_position[j] = positions++;
  const std::vector<std::uint32_t> old_columns = std::move(columns_);
  std::vector<std::uint32_t> new_member(old_columns.size(), kNone);
  columns_.clear();
  filled_.clear();
  sparse_.clear();
  member_of_.assign(positions, kNone);
  std::size_t pairs = 0, begin = 0;
  for (std::size_t p = 0; p < old_columns.size(); ++p) {
    const std::size_t end = begin_[p + 1];
    if (keep[old_columns[p]]) {
      const auto member = static_cast<std::uint32_t>(columns_.size());
      for (std::size_t e = begin; e < end; ++e) {
        if (new_member[partner_[e]] == kNone) continue;
        partner_[pairs] = new_member[partner_[e]];
        product_[pairs++] = product_[e];
      }
      new_member[p] = member;
      diagonal_[member] = diagonal_[p];
      columns_.push_back(new_position[old_columns[p]]);
      member_of_[columns_.back()] = member;
      (columns.well_filled(columns_.back()) ? filled_ : sparse_).push_back(member);
      begin_[member + 1] = pairs;
    }
    begin = end;
  }
  begin_.resize(columns_.size() + 1);
  partner_.resize(pairs);
  product_.resize(pairs);
  diagonal_.resize(columns_.size());
}

// Calls visit(a, b, product) for every pair among these columns, by their numbers in the list.
template <typename Visit>
void Gram::visit_pairs(std::span<const std::uint32_t> columns, const Visit& visit) const {
  std::vector<std::uint32_t> place(columns_.size(), kNone);
  for (std::uint32_t a = 0; a < columns.size(); ++a) place[member_of_[columns[a]]] = a;
  for (std::uint32_t a = 0; a < columns.size(); ++a) {
    const std::uint32_t member = member_of_[columns[a]];
    for (std::size_t e = begin_[member]; e < begin_[member + 1]; ++e)
      if (const std::uint32_t b = place[partner_[e]]; b != kNone) visit(a, b, product_[e]);
  }
}

std::size_t Gram::pairs_among(std::span<const std::uint32_t> columns) const {
  std::size_t pairs = 0;
  visit_pairs(columns, [&](std::uint32_t, std::uint32_t, double) { ++pairs; });
  return pairs;
}

SparseGram Gram::sparse(std::span<const std::uint32_t> columns) const {
  SparseGram gram;
  gram.begin.assign(columns.size() + 1, 0);
  visit_pairs(columns, [&](std::uint32_t a, std::uint32_t b, double) {
    ++gram.begin[a + 1];
    ++gram.begin[b + 1];
  });
  for (std::size_t a = 0; a < columns.size(); ++a) gram.begin[a + 1] += gram.begin[a];
  gram.partner.resize(gram.begin.back());
  gram.product.resize(gram.begin.back());
  std::vector<std::size_t> next(gram.begin.begin(), gram.begin.end() - 1);
  visit_pairs(columns, [&](std::uint32_t a, std::uint32_t b, double product) {
    gram.partner[next[a]] = b;
    gram.product[next[a]++] = product;
    gram.partner[next[b]] = a;
    gram.product[next[b]++] = product;
  });
  for (const std::uint32_t column : columns) gram.diagonal.push_back(diagonal_[member_of_[column]]);
  return gram;
}

DenseGram Gram::dense(std::span<const std::uint32_t> columns) const {
  DenseGram gram{columns.size(), std::vector<double>(columns.size() * columns.size(), 0.0)};
  visit_pairs(columns, [&](std::uint32_t a, std::uint32_t b, double product) {
    gram.product[a * gram.size + b] = product;
    gram.product[b * gram.size + a] = product;
  });
  for (std::size_t a = 0; a < columns.size(); ++a) gram.product[a * gram.size + a] = diagonal_[member_of_[columns[a]]];
  return gram;
}

}  // namespace rota::lasso
