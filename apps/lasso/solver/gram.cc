// apps/lasso/solver/gram.cc
#include "apps/lasso/solver/gram.h"

#include <algorithm>
#include <cmath>

#include "apps/lasso/solver/products.h"

namespace rota::lasso {
namespace {

constexpr std::size_t kMostByRow = 512;  // columns whose products stay in the cache

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

// See products.h; slot_of_ has the slots.
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
