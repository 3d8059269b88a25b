// apps/lasso/design/columns.cc
#include "apps/lasso/design/columns.h"

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
void put(const SparseBlock<T>& block, Writer& out) {
  const std::size_t columns = block.starts.empty() ? 0 : block.starts.size() - 1;
  out.put_varint(columns);
  for (std::size_t c = 0; c < columns; ++c) out.put_varint(block.starts[c + 1] - block.starts[c]);
  out.put_all(std::span<const std::uint32_t>(block.rows));
  out.put_all(std::span<const T>(block.values));
}
template <typename T>
void put(const DenseBlock<T>& block, Writer& out) {
  out.put_all(std::span<const T>(block.values));
}

template <typename T>
LargeVector<T> get_array(Reader& in) {
  const std::size_t size = in.get_count(sizeof(T));
  const auto bytes = in.get_bytes(size * sizeof(T));
  LargeVector<T> array(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(array.data(), bytes.data(), bytes.size());
  return array;
}

// Values that can be squared and summed, as load.cc checks.
template <typename T>
LargeVector<T> get_values(Reader& in) {
  LargeVector<T> values = get_array<T>(in);
  for (const T value : values)
    if (!(std::abs(static_cast<double>(value)) <= kMostSquared)) in.fail();
  return values;
}

template <typename T>
void get(SparseBlock<T>& block, Reader& in, std::uint64_t rows, std::uint64_t columns) {
  if (in.get_count(1) != columns) return in.fail();
  block.starts = LargeVector<std::uint64_t>(columns + 1);
  block.starts[0] = 0;
  for (std::uint64_t c = 0; c < columns; ++c) block.starts[c + 1] = block.starts[c] + in.get_bounded(rows);
  block.rows = get_array<std::uint32_t>(in);
  block.values = get_values<T>(in);
  if (block.rows.size() != block.starts.back() || block.values.size() != block.starts.back()) in.fail();
  for (std::uint64_t c = 0; c < columns && in.ok(); ++c)
    for (std::uint64_t k = block.starts[c]; k < block.starts[c + 1]; ++k)
      if (block.rows[k] >= rows || (k > block.starts[c] && block.rows[k] <= block.rows[k - 1])) in.fail();
}
template <typename T>
void get(DenseBlock<T>& block, Reader& in, std::uint64_t rows, std::uint64_t columns) {
  block = {rows, get_values<T>(in)};
  // With at most 2^32 rows and columns the product fits, except for the largest of both.
  if (rows > 0 && columns > 0 && (block.values.size() / rows != columns || block.values.size() % rows != 0)) in.fail();
  if ((rows == 0 || columns == 0) && block.values.size() > 0) in.fail();
}

}  // namespace

Columns::Columns(const BlockRange& range, Storage storage)
    : range_(range),
      storage_(std::move(storage)),
      entries_(std::visit([](const auto& block) { return block.values.size(); }, storage_)) {}

void Columns::dot_all(std::span<const double> g, std::span<double> out) const {
  std::visit([&](const auto& block) { sweep(block, columns(), g.data(), out.data()); }, storage_);
}

void Columns::encode(Writer& out) const {
  out.reserve(out.view().size() + entries_ * 12 + columns() * std::size_t{2} + 64);
  for (const std::uint64_t at : {range_.first_row, range_.end_row, range_.first_column, range_.end_column})
    out.put_varint(at);
  out.put(static_cast<std::uint8_t>(storage_.index()));
  std::visit([&](const auto& block) { put(block, out); }, storage_);
}

void Columns::decode(Reader& in) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  BlockRange range;
  for (std::uint64_t* const at : {&range.first_row, &range.end_row, &range.first_column, &range.end_column})
    *at = in.get_bounded(kMost);
  if (range.first_row > range.end_row || range.first_column > range.end_column) in.fail();
  Storage storage;
  const auto form = in.get_bounded<unsigned>(3);
  if (form == 1) storage.emplace<1>();
  if (form == 2) storage.emplace<2>();
  if (form == 3) storage.emplace<3>();
  if (!in.ok()) return;
  std::visit(
      [&](auto& block) { get(block, in, range.end_row - range.first_row, range.end_column - range.first_column); },
      storage);
  if (in.ok()) *this = Columns(range, std::move(storage));
}

std::size_t Columns::entries(std::uint32_t column) const {
  struct Count {
    std::size_t operator()(const SparseColumn<float>& x) const { return x.entries; }
    std::size_t operator()(const SparseColumn<double>& x) const { return x.entries; }
    std::size_t operator()(const DenseColumn<float>& x) const { return x.rows; }
    std::size_t operator()(const DenseColumn<double>& x) const { return x.rows; }
  };
  return of(column, Count{});
}

}  // namespace rota::lasso
