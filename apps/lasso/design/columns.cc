// apps/lasso/design/columns.cc
#include "apps/lasso/design/columns.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace rota::lasso {
namespace {

// Entries between prefetching one and using it.  Measured: without it, a sweep takes a tenth longer.
constexpr std::size_t kAhead = 256;

// Prefetches the memory `bytes` after `at`, which may be beyond the end of an array: nothing is read.
void ask_for(const void* at, std::size_t bytes) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(at) + bytes));
}

template <typename T>
void sweep(const SparseBlock<T>& block, std::size_t columns, const double* g, double* out) {
  constexpr std::size_t kLine = 64;  // bytes
  for (std::size_t c = 0; c < columns; ++c) {
    const SparseColumn<T> x = block.column(c);
    ask_for(x.rows, kAhead * sizeof(std::uint32_t));
    ask_for(x.values, kAhead * sizeof(T));
    ask_for(x.values, kAhead * sizeof(T) + kLine);
    out[c] = dot_of(x, g);
  }
}

template <typename T>
void sweep(const DenseBlock<T>& block, std::size_t columns, const double* g, double* out) {
  for (std::size_t c = 0; c < columns; ++c) out[c] = dot_of(block.column(c), g);
}

// ---- data by shard

template <typename T>
void numbers(Archive& list, LargeVector<T>& values) {
  if (list.writer() != nullptr) return list.writer()->put_all(std::span<const T>(values));
  Reader& in = *list.reader();
  const auto bytes = in.get_bytes(in.get_count(sizeof(T)) * sizeof(T));
  values = LargeVector<T>(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
}

// Values that can be squared and summed, as load.cc checks.
bool can_be_squared(const auto& values) {
  return std::ranges::all_of(values, [](auto x) { return std::abs(static_cast<double>(x)) <= kMostSquared; });
}

template <typename T>
void fields_of(Archive& list, SparseBlock<T>& block, std::uint64_t rows, std::uint64_t columns) {
  numbers(list, block.starts);
  numbers(list, block.rows);
  numbers(list, block.values);
  if (!list.reads()) return;
  const auto& starts = block.starts;
  list.check(starts.size() == columns + 1 && starts.front() == 0 && std::ranges::is_sorted(starts) &&
             starts.back() == block.rows.size() && block.values.size() == block.rows.size() &&
             can_be_squared(block.values));
  for (std::uint64_t c = 0; c < columns && list.ok(); ++c)
    for (std::uint64_t k = starts[c]; k < starts[c + 1]; ++k)
      list.check(block.rows[k] < rows && (k == starts[c] || block.rows[k] > block.rows[k - 1]));
}
template <typename T>
void fields_of(Archive& list, DenseBlock<T>& block, std::uint64_t rows, std::uint64_t columns) {
  block.rows = rows;
  numbers(list, block.values);
  // With less than 2^32 rows and columns the product fits.
  if (list.reads()) list.check(block.values.size() == rows * columns && can_be_squared(block.values));
}

}  // namespace

Columns::Columns(const BlockRange& range, Storage storage)
    : range_(range),
      storage_(std::move(storage)),
      entries_(std::visit([](const auto& block) { return block.values.size(); }, storage_)) {}

void Columns::dot_all(std::span<const double> g, std::span<double> out) const {
  std::visit([&](const auto& block) { sweep(block, columns(), g.data(), out.data()); }, storage_);
}

void Columns::fields(Archive& list) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  auto form = static_cast<std::uint8_t>(storage_.index());
  list(range_.first_row, range_.end_row, range_.first_column, range_.end_column, form);
  list.check(range_.first_row <= range_.end_row && range_.end_row <= kMost && form < 4 &&
             range_.first_column <= range_.end_column && range_.end_column <= kMost);
  if (!list.ok()) return;
  if (list.reads()) {
    const Storage kinds[] = {SparseBlock<float>(), SparseBlock<double>(), DenseBlock<float>(), DenseBlock<double>()};
    storage_ = kinds[form];
  }
  std::visit([&](auto& block) { fields_of(list, block, rows(), columns()); }, storage_);
  entries_ = std::visit([](const auto& block) { return block.values.size(); }, storage_);
}

}  // namespace rota::lasso
