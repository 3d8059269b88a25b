// rota/io/csv_file.h -- records of a CSV or TSV file, plain or compressed (RFC 4180).
//
// Fields may be quoted, and then contain separators, line ends and doubled quotation marks.  Lines end with "\n",
// "\r\n" or "\r"; empty lines are skipped, and so is a byte order mark.  The text is UTF-8.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rota/io/byte_source.h"

namespace rota::io {

struct CsvForm {
  char separator = '\0';  // '\0': the first of tab, ';', ',' and '|' that the first line contains outside of quotes
  enum class Header { find, yes, no } header = Header::find;  // find: unless all of the first record are numbers
};

// The column of this name, or of this number, from 1.  `names` is empty if they have none; of the first line, where
// they stand.  Throws DataError, with the nearest to be had.
std::size_t find_column(std::string_view name_or_number, std::span<const std::string> names, std::size_t columns,
                        const std::string& file, std::uint64_t line);

class CsvFile {
 public:
  // Opens the file and reads the header.  Throws NoInput or DataError.
  explicit CsvFile(std::string path, CsvForm form = {});

  // The names of the columns; empty without a header.
  const std::vector<std::string>& names() const { return names_; }
  std::size_t columns() const { return columns_; }
  // As find_column().
  std::size_t column(std::string_view name_or_number) const {
    return find_column(name_or_number, names_, columns_, file_, 1);
  }

  // The next record; false at the end.  The views are valid until the next call.  Throws DataError if it has another
  // number of fields than the first, if a quote is not closed, or if the text is not UTF-8.
  bool next(std::vector<std::string_view>& fields);

  // Of the first line of the record that next() returned last, from 1.
  std::uint64_t line() const { return record_line_; }
  const std::string& file() const { return file_; }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  bool fill();
  bool peek(char& c) { return (at_ < end_ || fill()) && (c = buffer_[at_], true); }
  void choose_separator();
  bool read_record();
  void end_field();
  void check_text() const;

  std::string file_;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0;  // buffer_[at_, end_) is read but not yet used
  char separator_;
  std::vector<std::string> names_;
  std::size_t columns_ = 0;
  std::uint64_t line_ = 1, record_line_ = 0;
  // The record: its fields' texts, one after the other, and where each ends.
  std::string text_;
  std::vector<std::size_t> ends_;
  bool repeat_ = false;
};

}  // namespace rota::io
