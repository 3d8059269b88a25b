// apps/linear/design/matrix_market.cc -- MatrixMarket files, one after the other.
#include "rota/io/matrix_market.h"

#include <utility>

#include "apps/linear/design/input.h"
#include "rota/error.h"
#include "rota/io/numbers.h"
namespace rota::linear {
namespace {

constexpr std::size_t kMostSampled = std::size_t{1} << 18;

// The columns of entries 0, k, 2k, ..., where k doubles whenever there are too many.
class EntrySample {
 public:
  void add(std::uint32_t column) {
    if (seen_++ % stride_ != 0) return;
    columns_.push_back(column);
    if (columns_.size() < kMostSampled) return;
    for (std::size_t i = 0; 2 * i < columns_.size(); ++i) columns_[i] = columns_[2 * i];
    columns_.resize((columns_.size() + 1) / 2);
    stride_ *= 2;
  }
  std::vector<std::uint32_t> take() { return std::move(columns_); }

 private:
  std::uint64_t seen_ = 0, stride_ = 1;
  std::vector<std::uint32_t> columns_;
};

}  // namespace

MarketInput read_matrix_market(const std::vector<std::string>& paths) {
  MarketInput market;
  DesignInput& input = market.input;
  input.order = EntryOrder::any;
  EntrySample sample;
  io::MatrixMarketSize size;
  for (const std::string& path : paths) {
    DesignPiece& piece = input.pieces.emplace_back();
    io::Lines lines(path);
    size = io::read_matrix_market(lines, [&](std::span<const io::MatrixEntry> entries) {
      for (const io::MatrixEntry& entry : entries) {
        if (entry.value == 0) continue;
        piece.entries.add(entry.row, entry.column, entry.value);
        sample.add(entry.column);
      }
    });
    if (input.pieces.size() > 1 && size.columns != input.shape.columns)
      throw DataError(path, 0,
                      "the matrix has " + std::to_string(size.columns) + " columns, but the file before had " +
                          std::to_string(input.shape.columns));
    piece.first_row = input.shape.rows;
    piece.rows = size.rows;
    input.shape.rows += size.rows;
    input.shape.columns = size.columns;
    input.shape.entries += size.entries;
    if (input.shape.rows > io::kMostRows)
      throw DataError(path, 0, "a matrix has at most " + std::to_string(io::kMostRows) + " rows");
  }
  const std::string wrong = io::out_of_proportion(input.shape.columns, "columns", input.shape.entries);
  if (!wrong.empty()) throw DataError(paths.back(), size.line, wrong);
  align_buckets(input.pieces);
  market.sample = sample.take();
  return market;
}

}  // namespace rota::linear
