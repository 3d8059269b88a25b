// rota/io/lines.h -- the lines of one text file, plain or compressed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rota/io/text_file.h"

namespace rota::io {

class Lines {
 public:
  // Opens the file.  Throws NoInput if it does not exist, DataError if it is empty or not what its name claims.
  explicit Lines(std::string path);
  // Of text that is read already; `name` is for messages.
  Lines(std::string name, std::unique_ptr<ByteSource> source);

  // The next line without its end ("\n" or "\r\n"; the last line needs none), or false at the end of the file.  The
  // view is valid until the next call.  Throws DataError if the line is too long, contains a carriage return, or the
  // data is damaged.
  bool next(std::string_view& line);
  // Makes next() return these again, which must be the last lines that it returned.
  void give_again(std::vector<std::string> lines);

  // Of the line that next() returned last, from 1; 0 before the first.
  std::uint64_t number() const { return number_; }
  const std::string& file() const { return file_; }
  // Throws DataError for the current line.
  [[noreturn]] void fail(const std::string& what) const;
  // For the current line: `field` as a whole number of this range, and that nothing but blanks is left of it.  `what`
  // is expected.  Throw DataError if not.
  std::uint64_t whole_number(std::string_view field, const std::string& what, std::uint64_t least,
                             std::uint64_t most) const;
  void expect_end(std::string_view rest, const std::string& what) const;

 private:
  bool fill();

  std::string file_;
  std::unique_ptr<LineBlocks> blocks_;
  std::string_view block_;  // lines that are read but not yet given
  std::uint64_t number_ = 0;
  std::deque<std::string> again_;  // lines to be returned before those of the block
  std::string given_again_;        // the last of them that was returned
};

}  // namespace rota::io
