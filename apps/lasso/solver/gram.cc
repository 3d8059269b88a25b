// apps/lasso/solver/gram.cc
#include "apps/lasso/solver/gram.h"

#include <algorithm>
#include <cmath>

namespace rota::lasso {
namespace {

constexpr std::size_t kChunk = 256;  // rows whose numbers stay in the cache while all pairs of columns are summed
constexpr std::size_t kLanes = 8;

// sum_i a_i b_i over a chunk, in running parts that the processor can add at once.
double chunk_product(const double* a, const double* b) {
  double part[kLanes] = {};
  for (std::size_t i = 0; i < kChunk; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) part[lane] += a[i + lane] * b[i + lane];
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

}  // namespace

void Gram::begin(std::span<const double> weights) {
  *this = Gram();
  root_.reserve(weights.size());
  for (const double weight : weights) root_.push_back(std::sqrt(weight));
  head_.assign(weights.size(), kNone);
}

std::vector<double> Gram::dense_products(const WorkingColumns& columns, std::span<const std::uint32_t> added) const {
  std::vector<std::uint32_t> dense;  // columns: members, then added
  for (const std::uint32_t member : dense_) dense.push_back(columns_[member]);
  const std::size_t old = dense.size();
  for (const std::uint32_t column : added)
    if (columns.is_dense(column)) dense.push_back(column);
  // Of column number d its products with 0 .. d, from d (d + 1) / 2 on, less those of old columns.
  const auto before = [](std::size_t d) { return d * (d + 1) / 2; };
  std::vector<double> products(before(dense.size()) - before(old), 0.0);
  if (products.empty()) return products;
  std::vector<double> chunks(dense.size() * kChunk, 0.0);
  for (std::size_t at = 0; at < root_.size(); at += kChunk) {
    const std::size_t rows = std::min(kChunk, root_.size() - at);
    for (std::size_t d = 0; d < dense.size(); ++d) {
      const double* const x = columns.values_of(dense[d]).data() + at;
      double* const to = chunks.data() + d * kChunk;
      for (std::size_t i = 0; i < rows; ++i) to[i] = x[i] * root_[at + i];
      std::fill(to + rows, to + kChunk, 0.0);
    }
    for (std::size_t d = old; d < dense.size(); ++d)
      for (std::size_t e = 0; e <= d; ++e)
        products[before(d) - before(old) + e] += chunk_product(chunks.data() + d * kChunk, chunks.data() + e * kChunk);
  }
  return products;
}

double Gram::mixed_product(const WorkingColumns& columns, std::uint32_t sparse, std::uint32_t dense) const {
  const auto rows = columns.rows_of(sparse);
  const auto values = columns.values_of(sparse);
  const auto other = columns.values_of(dense);
  double sum = 0;
  for (std::size_t e = 0; e < rows.size(); ++e) sum += values[e] * root_[rows[e]] * (other[rows[e]] * root_[rows[e]]);
  return sum;
}

void Gram::append_pair(std::uint32_t member, double product) {
  if (product == 0) return;
  partner_.push_back(member);
  product_.push_back(product);
}

// Walks the lists of the column's rows.
void Gram::add_sparse_pairs(const WorkingColumns& columns, std::uint32_t column) {
  const auto rows = columns.rows_of(column);
  const auto values = columns.values_of(column);
  sum_.resize(columns_.size(), 0.0);
  touched_.clear();
  double square = 0;
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const double value = values[e] * root_[rows[e]];
    square += value * value;
    if (value == 0) continue;
    for (std::uint32_t at = head_[rows[e]]; at != kNone; at = entries_[at].next) {
      const RowEntry& entry = entries_[at];
      if (sum_[entry.member] == 0) touched_.push_back(entry.member);
      sum_[entry.member] += value * entry.value;
    }
  }
  diagonal_.push_back(square);
  // A sum that came back to 0 on the way is listed twice; the second time there is nothing left of it.
  for (const std::uint32_t member : touched_) {
    append_pair(member, sum_[member]);
    sum_[member] = 0;
  }
}

void Gram::list_rows(const WorkingColumns& columns, std::uint32_t member) {
  const auto rows = columns.rows_of(columns_[member]);
  const auto values = columns.values_of(columns_[member]);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const double value = values[e] * root_[rows[e]];
    if (value == 0) continue;
    entries_.push_back({member, head_[rows[e]], value});
    head_[rows[e]] = static_cast<std::uint32_t>(entries_.size() - 1);
  }
}

void Gram::add(const WorkingColumns& columns, std::span<const std::uint32_t> added) {
  const std::vector<double> dense = dense_products(columns, added);
  auto next_dense = dense.begin();
  member_of_.resize(columns.size(), kNone);
  for (const std::uint32_t column : added) {
    const auto member = static_cast<std::uint32_t>(columns_.size());
    if (columns.is_dense(column)) {
      for (const std::uint32_t other : dense_) append_pair(other, *next_dense++);
      diagonal_.push_back(*next_dense++);
      for (std::uint32_t other = 0; other < member; ++other)
        if (!columns.is_dense(columns_[other])) append_pair(other, mixed_product(columns, columns_[other], column));
      dense_.push_back(member);
    } else {
      add_sparse_pairs(columns, column);
      for (const std::uint32_t other : dense_) append_pair(other, mixed_product(columns, column, columns_[other]));
    }
    member_of_[column] = member;
    columns_.push_back(column);
    begin_.push_back(partner_.size());
    if (!columns.is_dense(column)) list_rows(columns, member);
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
  dense_.clear();
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
      if (columns.is_dense(columns_.back())) dense_.push_back(member);
      begin_[member + 1] = pairs;
    }
    begin = end;
  }
  begin_.resize(columns_.size() + 1);
  partner_.resize(pairs);
  product_.resize(pairs);
  diagonal_.resize(columns_.size());
  sum_.clear();
  std::fill(head_.begin(), head_.end(), kNone);
  entries_.clear();
  for (std::uint32_t member = 0; member < columns_.size(); ++member)
    if (!columns.is_dense(columns_[member])) list_rows(columns, member);
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
