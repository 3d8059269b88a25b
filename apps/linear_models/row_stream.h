// apps/linear_models/row_stream.h -- the rows of a shard that is not kept in memory: its section of the files, read
// again in every epoch.
#pragma once
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/linear_models/read_rows.h"
#include "rota/error.h"

namespace rota::linear {

struct RowStream {
  std::vector<std::string> files;
  io::Section section;  // that of the shard
  std::uint64_t rows = 0;
  Settings settings;
  std::shared_ptr<const SharedData> all;
};

// Reads a stream from its beginning, again and again.
class StreamReader {
 public:
  explicit StreamReader(const RowStream& stream) : stream_(stream), key_(stream.settings.bits) {}

  // The next `count` rows: passes end with the last row, so they must add up to all.  Throws DataError if the rows have
  // changed.
  ShardRows next(std::uint64_t count) {
    const char* const changed = "the data has changed since it was first read";
    const Settings& settings = stream_.settings;
    const SharedData& all = *stream_.all;
    if (!input_) input_.emplace(stream_.files, settings.form, stream_.section);
    ShardRows rows;
    io::LabelledValues row;
    while (rows.targets.size() < count) {
      if (!input_->next(row)) throw DataError(stream_.files.front(), 0, changed);
      const auto target = all.target(row.label);
      if (!target) input_->fail(changed);
      rows.targets.push_back(*target);
      if (settings.is_vw()) rows.weights.push_back(row.weight * all.weight_scale);
      add_row(*input_, row, key_, all.origins, settings.intercept, all.keys, rows.rows);
    }
    if (input_->rows() == stream_.rows) {
      if (input_->next(row)) input_->fail(changed);
      input_.reset();
    }
    return rows;
  }

 private:
  const RowStream& stream_;
  FeatureKeys key_;
  std::optional<io::RowFiles> input_;  // of this pass
};

// Reads a stream in equal pieces, one piece ahead of its consumer.
class ReadAhead {
 public:
  // The stream must outlive it.
  ReadAhead(const RowStream& stream, std::uint64_t pieces) : reader_(stream), rows_(stream.rows), pieces_(pieces) {}

  // The next piece; the first one follows the last of a pass.  Rethrows the exceptions of reading.
  ShardRows next() {
    ShardRows piece = ahead_.valid() ? ahead_.get() : read();
    ahead_ = std::async(std::launch::async, [this] { return read(); });
    return piece;
  }

 private:
  ShardRows read() {
    const std::uint64_t i = at_++ % pieces_;
    return reader_.next(rows_ * (i + 1) / pieces_ - rows_ * i / pieces_);
  }

  StreamReader reader_;
  std::uint64_t rows_, pieces_;
  std::uint64_t at_ = 0;
  std::future<ShardRows> ahead_;  // the last member: its destructor waits for the thread
};

}  // namespace rota::linear
