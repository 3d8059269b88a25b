// apps/linear/row_files.h -- text files row by row, each row with its label; of plain files, a part of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/linear/vw_line.h"
#include "rota/error.h"
#include "rota/io/libsvm.h"
#include "rota/io/text_file.h"

namespace rota::linear {

enum class RowFormat { libsvm, vw };

struct LabelledRow {
  std::uint64_t number;  // from 0, over all rows read
  double label;
  double weight;                           // an importance, if the format has one; else 1
  std::span<const std::uint32_t> columns;  // from 0, ascending; of names a hash of 32 bits
  std::span<const double> values;          // none is 0
};

// The rows of a block of text, in LIBSVM's format or in Vowpal Wabbit's (vw_line.h).
class RowBlock {
 public:
  explicit RowBlock(RowFormat format, std::uint64_t index_from = 1) : format_(format), libsvm_(index_from) {}

  // Replaces the contents by the rows of whole lines; see LibsvmRows::parse.
  std::optional<io::WrongLine> parse(std::string_view text, io::LibsvmSize& seen);

  std::size_t rows() const { return labels().size(); }
  LabelledRow row(std::size_t r, std::uint64_t number) const;
  // The offset of the row's line in the text.
  std::size_t begin(std::size_t r) const { return format_ == RowFormat::vw ? begins_[r] : libsvm_.begins()[r]; }

 private:
  std::optional<io::WrongLine> parse_vw(std::string_view text, io::LibsvmSize& seen);
  std::span<const double> labels() const { return format_ == RowFormat::vw ? labels_ : libsvm_.labels(); }

  RowFormat format_;
  io::LibsvmRows libsvm_;
  VwParser parser_;
  VwLine line_;
  std::vector<double> labels_, weights_, values_;
  std::vector<std::size_t> begins_, ends_;
  std::vector<std::uint32_t> columns_;
};

// The files are one matrix: the rows of each follow those of the previous one.
class RowFiles {
 public:
  using Take = std::function<void(const LabelledRow&)>;

  // The paths must outlive it.
  explicit RowFiles(const std::vector<std::string>& paths, RowFormat format = RowFormat::libsvm,
                    std::uint64_t index_from = 1)
      : paths_(paths), parsed_(format, index_from) {}

  // Calls take(row) for all rows in turn.  Throws NoInput, or DataError with file and line.
  void each(const Take& take);
  // The same for the rows of one of `sections` parts, of about equal bytes; together the parts have all rows, once. Row
  // numbers count from the part's first.  Also throws DataError for a file that cannot be divided: a compressed one.
  void each_of(std::uint32_t section, std::uint32_t sections, const Take& take);
  // For a row that take() refuses: the error with its file and line.
  DataError error(const std::string& what) const;
  [[noreturn]] void fail(const std::string& what) const { throw error(what); }

  std::uint64_t rows() const { return rows_; }        // read so far
  std::uint64_t columns() const { return columns_; }  // read so far, up to the largest index

 private:
  void read(const std::string& path, io::LineBlocks blocks, const Take& take);
  // Lines of the file before the part that is read: counted only for an error.
  std::uint64_t lines_skipped() const;

  const std::vector<std::string>& paths_;
  RowBlock parsed_;
  std::uint64_t rows_ = 0, columns_ = 0;
  // Of the current row.
  const std::string* path_ = nullptr;
  std::uint64_t skipped_ = 0;  // bytes of the file before the part that is read
  std::string_view block_;
  std::uint64_t lines_before_ = 0;  // the block
  std::size_t begin_ = 0;           // in the block
};

}  // namespace rota::linear
