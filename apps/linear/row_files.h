// apps/linear/row_files.h -- text files row by row, each row with its label; of plain files, a part of them.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/linear/row_block.h"
#include "rota/io/text_file.h"

namespace rota::linear {

// The files are one matrix: the rows of each follow those of the file before.
class RowFiles {
 public:
  using Take = std::function<void(const LabelledRow&)>;

  // The paths must outlive it.
  explicit RowFiles(const std::vector<std::string>& paths, RowFormat format = RowFormat::libsvm,
                    std::uint64_t index_from = 1)
      : paths_(paths), parsed_(format, index_from) {}

  // Calls take(row) for all rows in turn.  Throws NoInput, or DataError with file and line.
  void each(const Take& take);
  // The same for the rows of the section-th of `sections` parts, of about as many bytes each; together they are all
  // rows, once.  Row numbers count from its first.  Throws DataError for a file that cannot be divided, too: a
  // compressed one.
  void each_of(std::uint32_t section, std::uint32_t sections, const Take& take);
  // For a row that take() cannot take: throws DataError with its file and line.
  [[noreturn]] void fail(const std::string& what) const;

  std::uint64_t rows() const { return rows_; }        // of what was read
  std::uint64_t columns() const { return columns_; }  // likewise, up to the largest index

 private:
  void read(const std::string& path, io::LineBlocks blocks, const Take& take);
  // In the file, before what is read of it: counted when a line is wrong.
  std::uint64_t lines_skipped() const;

  const std::vector<std::string>& paths_;
  RowBlock parsed_;
  std::uint64_t rows_ = 0, columns_ = 0;
  // Of the row at hand.
  const std::string* path_ = nullptr;
  std::uint64_t skipped_ = 0;  // bytes of the file, before what is read of it
  std::string_view block_;
  std::uint64_t lines_before_ = 0;  // the block
  std::size_t begin_ = 0;           // in the block
};

}  // namespace rota::linear
