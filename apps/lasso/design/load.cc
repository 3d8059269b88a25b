// apps/lasso/design/load.cc
#include "apps/lasso/design/load.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "apps/lasso/design/sample_cuts.h"
#include "rota/error.h"
#include "rota/fields.h"
#include "rota/io/matrix_format.h"
#include "rota/io/matrix_market.h"
#include "rota/io/number_list.h"
#include "rota/io/number_text.h"
#include "rota/shards.h"

namespace rota::linear {
namespace {

// The files' format, which must be compatible with --response and --target.  Throws DataError for a CSV file without
// the target.
std::string checked_format(const Source& source) {
  if (source.files.empty()) throw UsageError("no input: name the files of the matrix");
  const std::string &first = source.files.front(), format = row_format(first, source.form);
  for (const std::string& file : source.files)
    if (row_format(file, source.form) != format)
      throw DataError(file, 1, "the files of a matrix must have one format, but " + first + " has another");
  const bool response = !source.response.empty(), target = !source.form.target.empty();
  if (format == "libsvm" && response)
    throw UsageError("--response is for MatrixMarket input: a line of LIBSVM begins with its own response");
  if (format == "libsvm" || format == "matrix_market") {
    if (target) throw UsageError("--target is for CSV and NumPy data, and " + first + " is " + format);
    if (format == "matrix_market" && !response)
      throw UsageError("--response is missing: a MatrixMarket file has no response of its own");
  } else if (response == target) {
    throw UsageError(response ? "--target and --response exclude each other"
                              : "--target is missing: it names the column of " + first + " that has the response");
  }
  if (target && (format == "csv" || format == "tsv"))
    for (const std::string& file : source.files) (void)io::read_rows(file, source.form);
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

// The response and the weights of all rows.
class AllRows {
 public:
  AllRows(const Source& source, const DesignInput& input) : pieces_(input.pieces) {
    io::DistinctLabels labels = source.response.empty() ? input.labels : io::DistinctLabels();
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

  RowNumbers of(std::uint64_t first, std::uint64_t end) const {
    RowNumbers part{slice(response_, first, end), slice(weights_, first, end)};
    if (!response_.empty()) return part;
    part.response.reserve(end - first);
    for (const DesignPiece& piece : pieces_) {
      const std::uint64_t from = std::max(first, piece.first_row), to = std::min(end, piece.first_row + piece.rows);
      for (std::uint64_t row = from; row < to; ++row) part.response.push_back(piece.labels[row - piece.first_row]);
    }
    return part;
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
    if (all.empty()) return {};
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

DesignInput read(const Source& source, bool by_columns, std::uint32_t shards, std::span<const ShardId> hosted) {
  const std::string format = checked_format(source);
  if (format == "libsvm")
    return by_columns ? read_libsvm_columns(source.files, shards, hosted, source.form.index_from)
                      : read_libsvm_rows(source.files, shards, hosted, source.form.index_from);
  auto [input, sample] =
      format == "matrix_market" ? read_matrix_market(source.files) : read_any_rows(source.files, source.form);
  input.cuts = by_columns ? cut_columns(std::move(sample), shards) : cut_evenly(input.shape.rows, shards);
  if (by_columns) input.cuts.push_back(input.shape.columns);
  return std::move(input);
}

Design load(const Source& source, bool by_columns, std::uint32_t shards, std::span<const ShardId> hosted) {
  const DesignInput input = read(source, by_columns, shards, hosted);
  require_cut(input.cuts);
  const AllRows rows(source, input);
  Design loaded{{by_columns, input.shape, input.cuts, rows.classes(), input.names, {}}, {}};
  loaded.hosted.resize(hosted.size());
  if (by_columns) loaded.common.rows = rows.of(0, input.shape.rows);
  const std::vector<std::size_t> order = ascending(hosted);  // for Keep::later
  for (const std::size_t i : order) {
    const std::uint64_t first = input.cuts[hosted[i]], end = input.cuts[hosted[i] + 1];
    const BlockRange range =
        by_columns ? BlockRange{0, input.shape.rows, first, end} : BlockRange{first, end, 0, input.shape.columns};
    const Keep keep = by_columns ? Keep::later : i == order.back() ? Keep::nothing : Keep::all;
    loaded.hosted[i].columns = build(source, input, range, keep);
    if (!by_columns) loaded.hosted[i].rows = rows.of(first, end);
  }
  return loaded;
}

}  // namespace

std::string row_format(const std::string& path, const io::RowForm& form) {
  const std::string format = form.format == "auto" ? io::found_format(path) : form.format;
  return format == "text" ? "libsvm" : format;
}

bool DesignShard::fits(const DesignCommon& common, const Job& job, ShardId shard) const {
  if (common.cuts.size() != job.shards + std::size_t{1}) return false;
  const std::uint64_t first = common.cuts[shard], end = common.cuts[shard + 1];
  const BlockRange range = common.by_columns ? BlockRange{0, common.shape.rows, first, end}
                                             : BlockRange{first, end, 0, common.shape.columns};
  return columns.range() == range && rows.have(common.classes) &&
         rows.response.size() == (common.by_columns ? 0 : columns.rows());
}

Design load_columns(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted) {
  return load(source, true, shards, hosted);
}

Design load_rows(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted) {
  return load(source, false, shards, hosted);
}

Columns join_rows(const PackedData& packed, std::uint32_t shards, Precision precision) {
  std::vector<DesignPiece> pieces;
  BlockRange all;
  for (ShardId shard = 0; shard < shards; ++shard)
    pieces.push_back(packed.shard(shard, [&](Reader& in) {
      DesignShard one;
      Archive list(in);
      list(one);
      const BlockRange& its = one.columns.range();
      if (shard > 0 && (its.first_row != all.end_row || its.end_column != all.end_column)) in.fail();
      all.end_row = its.end_row;
      all.end_column = its.end_column;
      DesignPiece piece{its.first_row, one.columns.rows(), DesignEntries(), {}};
      for (std::uint32_t c = 0; c < one.columns.columns(); ++c)
        one.columns.each(c, [&](std::uint32_t row, double value) { piece.entries.add(row, c, value); });
      return piece;
    }));
  align_buckets(pieces);
  return build_columns(pieces, all, precision, EntryOrder::by_rows, Keep::nothing);
}

}  // namespace rota::linear
