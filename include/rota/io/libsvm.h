// rota/io/libsvm.h -- the text format of LIBSVM and svmlight: one row of a sparse matrix a line.
//
//   label index:value index:value ...   # comment
//
// Indices count from 1, or from 0 with an option, and ascend within a line.  Numbers are as parse_number() reads them
// (decimal.h).  Fields are separated by blanks; a `qid:number` after the label is skipped, and so are lines with
// nothing but blanks or a comment.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rota/options.h"

namespace rota::io {

inline constexpr std::uint64_t kMostRows = (std::uint64_t{1} << 32) - 1;
inline constexpr std::uint64_t kMostColumns = std::uint64_t{1} << 28;

// The index of the first column.  It is never guessed from a file: a model's data, held-out data and new data must
// agree.
inline constexpr Option kIndexFrom = {
    .name = "index_from",
    .kind = Option::Kind::choice,
    .default_value = "1",
    .unit = "0|1",
    .meaning = "The index of the first column in LIBSVM text.  Output always counts columns from 1."};
inline std::uint64_t index_from(const Options& options) {
  return options.text(kIndexFrom.name) == "0" ? 0 : 1;
}

// Columns [first, end), from 0.
struct ColumnRange {
  std::uint64_t first = 0;
  std::uint64_t end = kMostColumns;
};

// An invalid line: the number of lines before it in the text, and the error.
struct WrongLine {
  std::uint64_t lines_before = 0;
  std::string what;
  bool operator==(const WrongLine&) const = default;
};

// The first three different labels, in the order of their appearance.
class DistinctLabels {
 public:
  void add(double label) {
    for (std::size_t i = 0; i < count_; ++i)
      if (labels_[i] == label) return;
    if (count_ < labels_.size()) labels_[count_++] = label;
  }
  std::span<const double> get() const { return {labels_.data(), count_}; }

 private:
  std::array<double, 3> labels_{};
  std::size_t count_ = 0;
};

// The size of a text, in all of its columns.
struct LibsvmSize {
  std::uint64_t lines = 0;    // of text
  std::uint64_t rows = 0;     // lines that are rows of the matrix
  std::uint64_t columns = 0;  // up to the largest index
  std::uint64_t entries = 0;  // as written, zeros too
  std::uint64_t widest = 0;   // the first line, from 1, with the largest index
  DistinctLabels labels;
};

// The rows of one text, and their entries that are not 0 in a range of columns.
class LibsvmRows {
 public:
  explicit LibsvmRows(std::uint64_t index_from = 1) : shift_(1 - index_from) {}

  std::span<const double> labels() const { return labels_; }
  std::span<const std::size_t> begins() const { return begins_; }  // where in the text the row's line begins
  // Entries of row r are [ends()[r - 1], ends()[r]), from 0 for the first row.
  std::span<const std::size_t> ends() const { return ends_; }
  const std::uint32_t* columns() const { return columns_.get(); }  // from 0, ascending in a row
  const double* values() const { return values_.get(); }

  // Replaces the contents by the rows of a text of whole lines, each ended by '\n'; kReadable bytes (decimal.h) after
  // it must be readable.  Adds to `size`, which is complete only if the text is valid.
  //
  // Readers of different ranges that together cover all columns check every byte: at least one of them reports an
  // invalid text.  A single one may miss errors in other columns.
  std::optional<WrongLine> parse(std::string_view text, const ColumnRange& keep, LibsvmSize& size);

 private:
  bool parse_quickly(const char* begin, const char* end, const ColumnRange& keep, LibsvmSize& size);
  std::string parse_carefully(std::string_view line, const ColumnRange& keep, LibsvmSize& size);
  void add_row(double label, std::size_t end, LibsvmSize& size);

  std::uint64_t shift_;  // added to indices so that they count from 1
  std::vector<double> labels_;
  std::vector<std::size_t> begins_, ends_;
  std::unique_ptr<std::uint32_t[]> columns_;
  std::unique_ptr<double[]> values_;
  std::size_t room_ = 0;  // entries
};

// Adds the size of a text, which must meet the conditions of parse().  It looks only at what that needs: the only error
// that it is sure to find is an index that is too large.
std::optional<WrongLine> measure_libsvm(std::string_view text, LibsvmSize& size, std::uint64_t index_from = 1);

}  // namespace rota::io
