#include "apps/kmeans/packed_rows.h"

#include <cmath>
#include <utility>
#include <vector>

#include "rota/io/libsvm.h"
#include "rota/shards.h"

namespace rota::kmeans {
namespace {

DataSize unpack_size(Reader& in) {
  DataSize size;
  size.rows = in.get_bounded(io::kMostRows);
  size.columns = in.get_bounded(io::kMostColumns);
  size.names.resize(in.get_count(1));
  for (std::string& name : size.names) name = in.get_text();
  if (size.rows == 0 || size.columns == 0 || (!size.names.empty() && size.names.size() != size.columns)) in.fail();
  return size;
}

bool is_row(const Row& row, std::uint64_t columns) {
  for (std::size_t i = 0; i < row.columns.size(); ++i) {
    if (row.columns[i] >= columns || (i > 0 && row.columns[i] <= row.columns[i - 1])) return false;
    if (!(std::abs(row.values[i]) <= kLargest)) return false;
  }
  return true;
}

Rows unpack_rows(Reader& in, std::uint64_t rows, std::uint64_t columns) {
  std::vector<std::size_t> ends(in.get_count(1));
  if (ends.size() != rows) in.fail();
  std::size_t all = 0;
  for (std::size_t& end : ends) end = all += in.get_bounded<std::size_t>(columns);
  std::vector<std::uint32_t> of_entries = in.get_all<std::uint32_t>();
  std::vector<double> values = in.get_all<double>();
  if (of_entries.size() != all || values.size() != all) in.fail();
  if (!in.ok()) return {};
  Rows out(std::move(of_entries), std::move(values), std::move(ends));
  for (std::size_t r = 0; r < out.size(); ++r)
    if (!is_row(out[r], columns)) in.fail();
  return out;
}

}  // namespace

void pack_shards(const RowShards& data, DataPacker& out) {
  Writer common;
  common.put_varint(data.size.rows);
  common.put_varint(data.size.columns);
  common.put_varint(data.size.names.size());
  for (const std::string& name : data.size.names) common.put_text(name);
  out.common(common.view());
  for (ShardId shard = 0; shard < data.hosted.size(); ++shard) {
    const Rows& rows = data.hosted[shard];
    Writer packed;
    packed.put_varint(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) packed.put_varint(rows[r].columns.size());
    packed.put_all(rows.all().columns);
    packed.put_all(rows.all().values);
    out.shard(shard, rows.size(), packed.view());
  }
}

RowShards unpack_shards(const PackedData& packed, std::uint32_t shards, std::span<const ShardId> hosted) {
  RowShards out;
  out.size = packed.common(unpack_size);
  for (const ShardId shard : hosted)
    out.hosted.push_back(packed.shard(
        shard, [&](Reader& in) { return unpack_rows(in, dealt_to(shard, out.size.rows, shards), out.size.columns); }));
  return out;
}

}  // namespace rota::kmeans
