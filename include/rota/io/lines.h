// rota/io/lines.h -- the lines of one text file, plain or compressed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rota/io/byte_source.h"

namespace rota::io {

inline constexpr std::size_t kLongestLine = std::size_t{64} << 20;  // bytes, without its end

class Lines {
 public:
  // Opens the file.  Throws NoInput if it does not exist, DataError if it is empty or not what its name claims.
  explicit Lines(std::string path);

  // The next line without its end ("\n" or "\r\n"; the last line needs none), or false at the end of the file.  The
  // view is valid until the next call.  Throws DataError if the line is too long, contains a carriage return, or the
  // data is damaged.
  bool next(std::string_view& line);
  // Makes next() return the current line again.
  void repeat() { repeat_ = true; }
  // Makes next() return these again, which must be the last lines that it returned.
  void give_again(std::vector<std::string> lines);

  // Of the line that next() returned last, from 1; 0 before the first.
  std::uint64_t number() const { return number_; }
  const std::string& file() const { return file_; }
  // Throws DataError for the current line.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  bool fill();
  std::string_view emit(std::size_t size, std::size_t end_size);

  std::string file_;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // buffer_[begin_, end_) is read but not yet given
  std::size_t end_ = 0;
  std::uint64_t number_ = 0;
  std::string_view line_;
  std::deque<std::string> again_;  // lines to be returned before those of the buffer
  std::string given_again_;        // the last of them that was returned
  bool repeat_ = false;
  bool at_end_ = false;
};

}  // namespace rota::io
