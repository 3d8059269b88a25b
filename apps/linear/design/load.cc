// apps/linear/design/load.cc
#include "apps/linear/design/load.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "apps/linear/design/sample_cuts.h"
#include "rota/error.h"
#include "rota/io/matrix_market.h"
#include "rota/io/number_list.h"
#include "rota/io/number_text.h"
#include "rota/shards.h"

namespace rota::linear {
namespace {

io::MatrixFormat format_of(const Source& source) {
  if (source.files.empty()) throw UsageError("no input: name the files of the matrix");
  if (source.format != io::MatrixFormat::automatic) return source.format;
  const io::MatrixFormat format = io::matrix_format_of(source.files.front());
  for (const std::string& file : source.files)
    if (io::matrix_format_of(file) != format)
      throw DataError(file, 1,
                      "the files of a matrix must have one format, but " + source.files.front() + " has another");
  return format;
}

// The format, if it is compatible with --response.
io::MatrixFormat checked_format(const Source& source) {
  const io::MatrixFormat format = format_of(source);
  if (format == io::MatrixFormat::matrix_market && source.response.empty())
    throw UsageError("--response is missing: a MatrixMarket file has no response of its own");
  if (format == io::MatrixFormat::libsvm && !source.response.empty())
    throw UsageError("--response is for MatrixMarket input: a line of LIBSVM begins with its own response");
  return format;
}

// One number for every row, from a file.
std::vector<double> read_column(const std::string& path, const std::string& thing, double least, std::uint64_t rows) {
  std::vector<double> numbers = io::read_numbers(path, "a " + thing, least);
  if (numbers.size() != rows)
    throw DataError(path, 0,
                    "expected a " + thing + " for each of the " + std::to_string(rows) + " rows, found " +
                        std::to_string(numbers.size()));
  return numbers;
}

// The response and the weights of the rows.
class RowNumbers {
 public:
  RowNumbers(const Source& source, const DesignInput& input) : pieces_(input.pieces) {
    io::DistinctLabels labels = input.labels;
    if (!source.response.empty()) {
      response_ = read_column(source.response, "response", -std::numeric_limits<double>::infinity(), input.shape.rows);
      for (std::size_t i = 0; i < response_.size(); ++i) {
        labels.add(response_[i]);
        if (is_too_large(response_[i]))
          throw DataError(source.response,
                          io::matrix_format_of(source.response) == io::MatrixFormat::libsvm ? i + 1 : 0,
                          too_large(response_[i]));
      }
    }
    if (!source.weights.empty()) read_weights(source.weights, input.shape.rows);
    if (!source.classes) return;
    const std::string& file = source.response.empty() ? source.files.front() : source.response;
    if (labels.get().size() != 2) refuse_classes(file, labels.get());
    classes_ = ClassLabels({labels.get().begin(), labels.get().end()});
  }

  const ClassLabels& classes() const { return classes_; }

  std::vector<double> response(std::uint64_t first, std::uint64_t end) const {
    std::vector<double> part;
    if (!response_.empty()) {
      part = slice(response_, first, end);
    } else {
      part.reserve(end - first);
      for (const DesignPiece& piece : pieces_) {
        const std::uint64_t from = std::max(first, piece.first_row), to = std::min(end, piece.first_row + piece.rows);
        for (std::uint64_t row = from; row < to; ++row) part.push_back(piece.labels[row - piece.first_row]);
      }
    }
    return part;
  }
  std::vector<double> weights(std::uint64_t first, std::uint64_t end) const {
    return weights_.empty() ? weights_ : slice(weights_, first, end);
  }

 private:
  // Scaled by a power of two, so that they can be summed: fits use only their shares of the sum.
  void read_weights(const std::string& file, std::uint64_t rows) {
    weights_ = read_column(file, "weight", 0, rows);
    int exponent = 0;
    std::frexp(*std::max_element(weights_.begin(), weights_.end()), &exponent);
    for (double& weight : weights_) weight = std::ldexp(weight, -exponent);
  }

  static std::vector<double> slice(const std::vector<double>& all, std::uint64_t first, std::uint64_t end) {
    return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  [[noreturn]] static void refuse_classes(const std::string& file, std::span<const double> found) {
    std::string text;
    for (const double label : found) text += (text.empty() ? "" : ", ") + io::exact_text(label);
    throw DataError(file, 0,
                    "expected a response of two classes, found " +
                        (found.size() == 1 ? "one only: " + text : "more: " + text + ", ..."));
  }

  const std::vector<DesignPiece>& pieces_;
  std::vector<double> response_, weights_;  // of all rows, where they have files of their own
  ClassLabels classes_;
};

// Throws for the line in the input that repeats an entry.
[[noreturn]] void refuse_repeated(const Source& source, const DesignInput& input, const RepeatedEntry& entry) {
  std::size_t i = 0;  // every file is one piece
  while (entry.row >= input.pieces[i].first_row + input.pieces[i].rows) ++i;
  const std::uint64_t row = entry.row - input.pieces[i].first_row;
  const std::uint64_t line =
      io::line_of_repeated(source.files[i], static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(entry.column));
  throw DataError(
      source.files[i], line,
      "row " + std::to_string(row + 1) + ", column " + std::to_string(entry.column + 1) + " is given twice");
}

Columns build(const Source& source, const DesignInput& input, const BlockRange& range, Keep keep) {
  try {
    return build_columns(input.pieces, range, source.precision, input.order, keep);
  } catch (const RepeatedEntry& entry) {
    refuse_repeated(source, input, entry);
  } catch (const UnheldValue& value) {
    throw DataError(source.files.front(), 0, value.what());
  }
}

// Positions in `hosted` in the order of the shards.
std::vector<std::size_t> ascending(std::span<const ShardId> hosted) {
  std::vector<std::size_t> positions(hosted.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  std::sort(positions.begin(), positions.end(), [&](std::size_t a, std::size_t b) { return hosted[a] < hosted[b]; });
  return positions;
}

DesignInput read_columns(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted) {
  if (checked_format(source) == io::MatrixFormat::libsvm)
    return read_libsvm_columns(source.files, shards, hosted, source.index_from);
  MarketInput market = read_matrix_market(source.files);
  market.input.cuts = cut_columns(std::move(market.sample), shards);
  market.input.cuts.push_back(market.input.shape.columns);
  return std::move(market.input);
}

DesignInput read_rows(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted) {
  if (checked_format(source) == io::MatrixFormat::libsvm)
    return read_libsvm_rows(source.files, shards, hosted, source.index_from);
  MarketInput market = read_matrix_market(source.files);
  market.input.cuts = cut_evenly(market.input.shape.rows, shards);
  return std::move(market.input);
}

}  // namespace

ColumnShards load_columns(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted) {
  const DesignInput input = read_columns(source, shards, hosted);
  require_cut(input.cuts);
  const RowNumbers numbers(source, input);
  ColumnShards loaded{input.shape,
                      input.cuts,
                      numbers.classes(),
                      numbers.response(0, input.shape.rows),
                      numbers.weights(0, input.shape.rows),
                      {}};
  loaded.hosted.resize(hosted.size());
  for (const std::size_t i : ascending(hosted)) {  // for Keep::later
    const BlockRange range{0, input.shape.rows, input.cuts[hosted[i]], input.cuts[hosted[i] + 1]};
    loaded.hosted[i] = build(source, input, range, Keep::later);
  }
  return loaded;
}

RowShards load_rows(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted) {
  const DesignInput input = read_rows(source, shards, hosted);
  require_cut(input.cuts);
  const RowNumbers numbers(source, input);
  RowShards loaded{input.shape, input.cuts, numbers.classes(), {}};
  for (const ShardId shard : hosted) {
    const std::uint64_t first = input.cuts[shard], end = input.cuts[shard + 1];
    const Keep keep = loaded.hosted.size() + 1 == hosted.size() ? Keep::nothing : Keep::all;
    loaded.hosted.push_back({build(source, input, {first, end, 0, input.shape.columns}, keep),
                             numbers.response(first, end), numbers.weights(first, end)});
  }
  return loaded;
}

}  // namespace rota::linear
