// apps/linear_models/row_stream.h -- the rows of a shard that is not kept in memory: its section of the files, read
// again in every epoch.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apps/linear_models/shard_rows.h"

namespace rota::linear {

class RowStream {
 public:
  RowStream(const std::vector<std::string>& files, const RowOptions& settings, const DataFacts& facts,
            std::uint32_t shards, ShardId shard, std::uint64_t rows);

  std::uint64_t rows() const { return rows_; }
  // Calls take() with the rows in the order of the files, in portions of size_of(0), size_of(1), ... rows, until the
  // end. Throws DataError if the rows have changed.
  void read(const std::function<std::uint64_t(std::uint64_t)>& size_of,
            const std::function<void(ShardRows&&)>& take) const;

 private:
  const std::vector<std::string>& files_;
  RowOptions settings_;
  DataFacts facts_;
  std::uint32_t shards_;
  ShardId shard_;
  std::uint64_t rows_;
};

// Reads a stream in a thread, ahead of the consumer: one piece is ready, and one is being read.
class ReadAhead {
 public:
  // The stream must outlive it.  A pass of the stream is cut into `pieces` with nearly equal numbers of rows.
  ReadAhead(const RowStream& stream, std::uint64_t pieces);
  ~ReadAhead();

  // The next piece; the first one follows the last of a pass.  Rethrows the exceptions of reading.
  ShardRows next();

  static std::uint64_t begin_of(std::uint64_t piece, std::uint64_t pieces, std::uint64_t rows) {
    return rows * piece / pieces;
  }

 private:
  struct Stopped {};
  void give(ShardRows&& rows);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<ShardRows> ready_;
  std::exception_ptr failed_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace rota::linear
