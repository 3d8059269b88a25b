// apps/lasso/design/other_formats.cc -- files that are read from their beginning to their end by one thread.
#include <utility>

#include "apps/lasso/design/input.h"
#include "rota/error.h"
#include "rota/io/matrix_market.h"
#include "rota/io/numbers.h"
#include "rota/io/row_files.h"

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

void check_proportion(const DesignShape& shape, const std::string& file, std::uint64_t line) {
  const std::string wrong = io::out_of_proportion(shape.columns, "columns", shape.entries);
  if (!wrong.empty()) throw DataError(file, line, wrong);
}

}  // namespace

SampledInput read_matrix_market(const std::vector<std::string>& paths) {
  DesignInput input;
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
  check_proportion(input.shape, paths.back(), size.line);
  align_buckets(input.pieces);
  return {std::move(input), sample.take()};
}

SampledInput read_any_rows(const std::vector<std::string>& paths, const io::RowForm& form) {
  DesignInput input;
  EntrySample sample;
  DesignPiece& piece = input.pieces.emplace_back();
  io::RowFiles files(paths, form);
  for (io::LabelledValues row; files.next(row); ++piece.rows) {
    if (is_too_large(row.label)) files.fail(too_large(row.label));
    for (std::size_t e = 0; e < row.columns.size(); ++e) {
      piece.entries.add(static_cast<std::uint32_t>(piece.rows), row.columns[e], row.values[e]);
      sample.add(row.columns[e]);
    }
    piece.labels.push_back(row.label);
    input.labels.add(row.label);
  }
  input.shape = {files.rows(), files.columns(), files.entries()};
  input.names = files.names();
  if (input.shape.rows == 0) throw DataError(paths.front(), 0, "the matrix has no rows");
  if (input.shape.columns == 0) throw DataError(paths.front(), 0, "the matrix has no columns");
  check_proportion(input.shape, files.widest_file(), files.widest_line());
  align_buckets(input.pieces);
  return {std::move(input), sample.take()};
}

}  // namespace rota::linear
