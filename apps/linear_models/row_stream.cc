#include "apps/linear_models/row_stream.h"

#include <utility>

#include "rota/error.h"

namespace rota::linear {

RowStream::RowStream(const std::vector<std::string>& files, const RowOptions& settings, const DataFacts& facts,
                     std::uint32_t shards, ShardId shard, std::uint64_t rows)
    : files_(files), settings_(settings), facts_(facts), shards_(shards), shard_(shard), rows_(rows) {}

void RowStream::read(const std::function<std::uint64_t(std::uint64_t)>& size_of,
                     const std::function<void(ShardRows&&)>& take) const {
  FeatureKeys key(settings_.bits);
  const std::uint32_t outputs = settings_.outputs(facts_.classes.size());
  const char* const changed = "the data has changed since it was first read";
  io::RowFiles input(files_, settings_.form, io::Section{shard_, shards_});
  ShardRows piece;
  std::uint64_t pieces = 0;
  const auto give = [&] { take(std::exchange(piece, {})), ++pieces; };
  for (io::LabelledValues row; input.next(row);) {
    if (input.rows() > rows_) input.fail(changed);
    while (piece.rows.size() >= size_of(pieces)) give();
    const auto k = facts_.classes.find(row.label);
    if (facts_.classes.size() > 0 && !k) input.fail(changed);
    piece.targets.push_back(k ? target_of(*k, outputs) : row.label - facts_.centre);
    if (settings_.is_vw()) piece.weights.push_back(row.weight * facts_.weight_scale);
    add_row(input, row, key, facts_.origins, settings_.intercept, facts_.keys, piece.rows);
  }
  if (input.rows() != rows_) throw DataError(files_.front(), 0, changed);
  give();
}

ReadAhead::ReadAhead(const RowStream& stream, std::uint64_t pieces) {
  thread_ = std::thread([this, &stream, pieces] {
    try {
      while (true) {
        const std::uint64_t rows = stream.rows();
        std::uint64_t given = 0;
        stream.read([&](std::uint64_t i) { return begin_of(i + 1, pieces, rows) - begin_of(i, pieces, rows); },
                    [&](ShardRows&& piece) { give(std::move(piece)), ++given; });
        for (; given < pieces; ++given) give({});
      }
    } catch (const Stopped&) {
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      failed_ = std::current_exception();
      changed_.notify_all();
    }
  });
}

ReadAhead::~ReadAhead() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReadAhead::give(ShardRows&& rows) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stop_ || !ready_; });
  if (stop_) throw Stopped();
  ready_ = std::move(rows);
  changed_.notify_all();
}

ShardRows ReadAhead::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ready_ || failed_; });
  if (!ready_) std::rethrow_exception(failed_);
  ShardRows rows = std::move(*ready_);
  ready_.reset();
  changed_.notify_all();
  return rows;
}

}  // namespace rota::linear
