#include "apps/linear/design/packed_design.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "apps/linear/design/build.h"
#include "rota/error.h"

namespace rota::linear {
namespace {

constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();

enum class Kind : std::uint8_t { columns, rows };

template <typename T>
void put_block(const SparseBlock<T>& block, Writer& out) {
  const std::size_t columns = block.starts.size() == 0 ? 0 : block.starts.size() - 1;
  out.put_varint(columns);
  for (std::size_t c = 0; c < columns; ++c) out.put_varint(block.starts[c + 1] - block.starts[c]);
  out.put_all(std::span<const std::uint32_t>(block.rows));
  out.put_all(std::span<const T>(block.values));
}
template <typename T>
void put_block(const DenseBlock<T>& block, Writer& out) {
  out.put_all(std::span<const T>(block.values));
}

void put_columns(const Columns& columns, Writer& out) {
  out.reserve(out.view().size() + columns.entries() * 12 + columns.columns() * std::size_t{2} + 64);
  out.put(static_cast<std::uint8_t>(columns.storage().index()));
  std::visit([&](const auto& block) { put_block(block, out); }, columns.storage());
}

template <typename T>
LargeVector<T> get_array(Reader& in) {
  const std::size_t size = in.get_count(sizeof(T));
  const auto bytes = in.get_bytes(size * sizeof(T));
  LargeVector<T> array(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(array.data(), bytes.data(), bytes.size());
  return array;
}

// Values that can be squared and summed, as build_columns() checks.
template <typename T>
LargeVector<T> get_values(Reader& in) {
  constexpr double kLargest =
      sizeof(T) == sizeof(float) ? static_cast<double>(std::numeric_limits<float>::max()) : kMostSquared;
  LargeVector<T> values = get_array<T>(in);
  for (const T value : values)
    if (!(std::abs(static_cast<double>(value)) <= kLargest)) in.fail();
  return values;
}

template <typename T>
SparseBlock<T> get_sparse(Reader& in, std::uint64_t rows, std::uint64_t columns) {
  if (in.get_count(1) != columns) in.fail();
  if (!in.ok()) return {};
  SparseBlock<T> block{LargeVector<std::uint64_t>(columns + 1), {}, {}};
  block.starts[0] = 0;
  for (std::uint64_t c = 0; c < columns; ++c) block.starts[c + 1] = block.starts[c] + in.get_bounded(rows);
  block.rows = get_array<std::uint32_t>(in);
  block.values = get_values<T>(in);
  if (block.rows.size() != block.starts[columns] || block.values.size() != block.starts[columns]) in.fail();
  for (std::uint64_t c = 0; c < columns && in.ok(); ++c)
    for (std::uint64_t k = block.starts[c]; k < block.starts[c + 1]; ++k)
      if (block.rows[k] >= rows || (k > block.starts[c] && block.rows[k] <= block.rows[k - 1])) in.fail();
  return block;
}

template <typename T>
DenseBlock<T> get_dense(Reader& in, std::uint64_t rows, std::uint64_t columns) {
  DenseBlock<T> block{rows, get_values<T>(in)};
  // With at most 2^32 rows and columns the product fits, except for the largest of both.
  if (rows > 0 && columns > 0 && (block.values.size() / rows != columns || block.values.size() % rows != 0)) in.fail();
  if ((rows == 0 || columns == 0) && block.values.size() > 0) in.fail();
  return block;
}

Columns get_columns(Reader& in, const BlockRange& range) {
  const std::uint64_t rows = range.end_row - range.first_row, columns = range.end_column - range.first_column;
  const auto form = in.get_bounded<unsigned>(3);
  Columns::Storage storage;
  if (form == 0) storage = get_sparse<float>(in, rows, columns);
  if (form == 1) storage = get_sparse<double>(in, rows, columns);
  if (form == 2) storage = get_dense<float>(in, rows, columns);
  if (form == 3) storage = get_dense<double>(in, rows, columns);
  return in.ok() ? Columns(range, std::move(storage)) : Columns();
}

struct Common {
  DesignShape shape;
  std::vector<std::uint64_t> cuts;
  ClassLabels classes;
  std::vector<double> response, weights;
};

bool are_responses(const std::vector<double>& response, const ClassLabels& classes) {
  return std::all_of(response.begin(), response.end(), [&](double label) {
    return classes.size() > 0 ? classes.find(label).has_value() : std::isfinite(label);
  });
}

bool are_weights(const std::vector<double>& weights, std::uint64_t rows) {
  return (weights.empty() || weights.size() == rows) &&
         std::all_of(weights.begin(), weights.end(), [](double one) { return one >= 0 && std::isfinite(one); });
}

void get_row_numbers(Reader& in, const ClassLabels& classes, std::uint64_t rows, std::vector<double>& response,
                     std::vector<double>& weights) {
  response = in.get_all<double>();
  weights = in.get_all<double>();
  if (response.size() != rows || !are_responses(response, classes) || !are_weights(weights, rows)) in.fail();
}

void put_common(Kind kind, const DesignShape& shape, const std::vector<std::uint64_t>& cuts, const ClassLabels& classes,
                Writer& out) {
  out.put(kind);
  out.put_varint(shape.rows);
  out.put_varint(shape.columns);
  out.put_varint(shape.entries);
  for (const std::uint64_t cut : cuts) out.put_varint(cut);
  out.put(classes.size() > 0 ? classes.label(0) : -1.0);
  out.put(classes.size() > 0 ? classes.label(1) : 1.0);
}

Common get_common(const PackedData& packed, Reader& in, Kind kind, bool classes, std::uint32_t shards) {
  Common common;
  const auto its = in.get_bounded<unsigned>(1);
  if (in.ok() && its != static_cast<unsigned>(kind))
    throw UsageError(packed.name() + ": these shards are ranges of " + (kind == Kind::rows ? "columns" : "rows") +
                     ", and the job needs ranges of " + (kind == Kind::rows ? "rows" : "columns") +
                     ": run `rota shard` with --partition, or omit --partition and --order");
  common.shape.rows = in.get_bounded(kMost32);
  common.shape.columns = in.get_bounded(kMost32);
  common.shape.entries = in.get_varint();
  const std::uint64_t last = kind == Kind::columns ? common.shape.columns : common.shape.rows;
  common.cuts.resize(shards + std::size_t{1});
  for (std::uint64_t& cut : common.cuts) cut = in.get_bounded(last);
  if (common.cuts.front() != 0 || common.cuts.back() != last || !std::is_sorted(common.cuts.begin(), common.cuts.end()))
    in.fail();
  const auto smaller = in.get<double>(), larger = in.get<double>();
  if (!(smaller < larger)) in.fail();
  if (classes) common.classes = ClassLabels({smaller, larger});
  if (kind == Kind::columns) get_row_numbers(in, common.classes, common.shape.rows, common.response, common.weights);
  return common;
}

Common common_of(const PackedData& packed, Kind kind, bool classes, std::uint32_t shards) {
  return packed.common([&](Reader& in) { return get_common(packed, in, kind, classes, shards); });
}

RowShard get_row_shard(Reader& in, const Common& common, ShardId shard) {
  const std::uint64_t first = common.cuts[shard], end = common.cuts[shard + 1];
  RowShard out{get_columns(in, {first, end, 0, common.shape.columns}), {}, {}};
  get_row_numbers(in, common.classes, end - first, out.response, out.weights);
  return out;
}

}  // namespace

void pack_columns(const ColumnShards& data, DataPacker& out) {
  Writer common;
  put_common(Kind::columns, data.shape, data.first_columns, data.classes, common);
  common.put_all(std::span<const double>(data.response));
  common.put_all(std::span<const double>(data.weights));
  out.common(common.view());
  for (ShardId shard = 0; shard < data.hosted.size(); ++shard) {
    Writer packed;
    put_columns(data.hosted[shard], packed);
    out.shard(shard, data.hosted[shard].entries(), packed.view());
  }
}

void pack_rows(const RowShards& data, DataPacker& out) {
  Writer common;
  put_common(Kind::rows, data.shape, data.first_rows, data.classes, common);
  out.common(common.view());
  for (ShardId shard = 0; shard < data.hosted.size(); ++shard) {
    const RowShard& one = data.hosted[shard];
    Writer packed;
    put_columns(one.columns, packed);
    packed.put_all(std::span<const double>(one.response));
    packed.put_all(std::span<const double>(one.weights));
    out.shard(shard, one.columns.entries(), packed.view());
  }
}

ColumnShards unpack_columns(const PackedData& packed, bool classes, std::uint32_t shards,
                            std::span<const ShardId> hosted) {
  Common common = common_of(packed, Kind::columns, classes, shards);
  ColumnShards out{
      common.shape, common.cuts, common.classes, std::move(common.response), std::move(common.weights), {}};
  for (const ShardId shard : hosted)
    out.hosted.push_back(packed.shard(shard, [&](Reader& in) {
      return get_columns(in, {0, common.shape.rows, common.cuts[shard], common.cuts[shard + 1]});
    }));
  return out;
}

RowShards unpack_rows(const PackedData& packed, bool classes, std::uint32_t shards, std::span<const ShardId> hosted) {
  const Common common = common_of(packed, Kind::rows, classes, shards);
  RowShards out{common.shape, common.cuts, common.classes, {}};
  for (const ShardId shard : hosted)
    out.hosted.push_back(packed.shard(shard, [&](Reader& in) { return get_row_shard(in, common, shard); }));
  return out;
}

Columns unpack_whole(const PackedData& packed, Precision precision, std::uint32_t shards) {
  const Common common = common_of(packed, Kind::rows, false, shards);
  std::vector<DesignPiece> pieces;
  for (ShardId shard = 0; shard < shards; ++shard)
    pieces.push_back(packed.shard(shard, [&](Reader& in) {
      const RowShard one = get_row_shard(in, common, shard);
      DesignPiece piece{common.cuts[shard], one.columns.rows(), DesignEntries(), {}};
      for (std::uint32_t c = 0; c < one.columns.columns(); ++c)
        one.columns.each(c, [&](std::uint32_t row, double value) { piece.entries.add(row, c, value); });
      return piece;
    }));
  align_buckets(pieces);
  return build_columns(pieces, {0, common.shape.rows, 0, common.shape.columns}, precision, EntryOrder::by_rows,
                       Keep::nothing);
}

}  // namespace rota::linear
