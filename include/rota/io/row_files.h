// rota/io/row_files.h -- the rows of several files, of any format, as one matrix.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "rota/io/row_reader.h"

namespace rota::io {

struct RowsSize {
  std::uint64_t rows = 0, columns = 0;
  std::vector<std::string> names = {};  // of the columns, if the first file has them

  void fields(auto& list) {  // rota/fields.h
    list(rows, columns, names);
    list.check(rows > 0 && rows <= kMostRows && columns > 0 && columns <= kMostColumns &&
               (names.empty() || names.size() == columns));
  }
};

// Of the largest absolute value of all rows.
struct ValueRange {
  double least = 0, most = std::numeric_limits<double>::infinity();
};

// One of `count` parts of about equal bytes of all files together; the parts have all rows, each once.
struct Section {
  std::uint32_t index = 0, count = 1;
};

// The rows of each file follow those of the previous one.  Files with named columns have those of the first, in any
// order.
//
//   io::RowFiles files(job.input, form);
//   for (io::LabelledValues row; files.next(row);) shards.of_item(files.rows() - 1)->add(row);
class RowFiles {
 public:
  explicit RowFiles(std::vector<std::string> paths, RowForm form = {}, ValueRange values = {});
  // The rows of a section of plain text.  Throws as next().
  RowFiles(std::vector<std::string> paths, RowForm form, Section section);

  // False after the last row.  Throws NoInput, DataError with file and line, or UsageError as read_rows().
  bool next(LabelledValues& row);
  // For the row that was read last: throws DataError with its file and line.
  [[noreturn]] void fail(const std::string& what) const;
  // After the last row.  Throws DataError if the files have no rows, no columns, too many columns for their entries, or
  // only values that are too small.
  RowsSize size() const;

  std::uint64_t rows() const { return rows_; }                      // read so far
  std::uint64_t columns() const { return columns_; }                // of all files read so far
  std::uint64_t entries() const { return entries_; }                // as written, zeros too
  const std::vector<std::string>& names() const { return names_; }  // of the columns, if the first file has them
  std::vector<std::string> words() const { return reader_ ? reader_->words() : form_.words; }  // RowReader::words()
  // Where the number of columns comes from: the file, and the line of its widest row (0: the file states it).
  const std::string& widest_file() const { return widest_file_; }
  std::uint64_t widest_line() const { return widest_line_; }
  const std::string& path() const { return paths_[file_]; }  // of the row that was read last
  std::uint64_t line() const { return reader_->line(); }

 private:
  void open();
  void check_values(const LabelledValues& row);

  std::vector<std::string> paths_;
  RowForm form_;
  ValueRange allowed_;
  std::vector<ByteRange> parts_;  // of the files, in a section
  std::size_t file_ = 0;
  std::unique_ptr<RowReader> reader_;  // of that file
  std::uint64_t rows_ = 0, columns_ = 0, entries_ = 0;
  std::vector<std::string> names_;
  std::uint64_t widest_ = 0, widest_line_ = 0;
  std::string widest_file_;
  double largest_ = 0;  // absolute value, and its place
  std::string largest_file_;
  std::uint64_t largest_line_ = 0;
};

}  // namespace rota::io
