// apps/io/lines.cc
#include "rota/io/lines.h"

#include <cstring>
#include <iterator>
#include <utility>

#include "rota/error.h"

namespace rota::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;  // bytes; fits the second-level cache
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Lines::Lines(std::string path) : file_(std::move(path)), buffer_(kBlock) {
  try {
    source_ = open_bytes(file_);
  } catch (const BrokenBytes& broken) {
    throw DataError(file_, 0, broken.what());
  }
  while (!at_end_ && end_ < kByteOrderMark.size()) fill();
  if (end_ == 0) throw DataError(file_, 0, "the file is empty");
  if (std::string_view(buffer_.data(), end_).starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
}

bool Lines::next(std::string_view& line) {
  if (std::exchange(repeat_, false)) {
    line = line_;
    return true;
  }
  if (!again_.empty()) {
    given_again_ = std::move(again_.front());
    again_.pop_front();
    ++number_;
    line = line_ = given_again_;
    return true;
  }
  std::size_t searched = 0;
  for (;;) {
    const char* from = buffer_.data() + begin_ + searched;
    const std::size_t rest = end_ - begin_ - searched;
    if (const void* found = rest == 0 ? nullptr : std::memchr(from, '\n', rest)) {
      line = emit(static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) - begin_, 1);
      return true;
    }
    searched += rest;
    if (!fill()) break;
  }
  if (begin_ == end_) return false;
  line = emit(end_ - begin_, 0);
  return true;
}

void Lines::give_again(std::vector<std::string> lines) {
  number_ -= lines.size();
  again_.insert(again_.begin(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
}

// The line of `size` bytes at begin_; moves begin_ past its end.
std::string_view Lines::emit(std::size_t size, std::size_t end_size) {
  ++number_;
  line_ = {buffer_.data() + begin_, size};
  begin_ += size + end_size;
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  if (line_.size() > kLongestLine) fail("the line is longer than " + std::to_string(kLongestLine) + " bytes");
  // Readers would treat it as a blank, and the whole file as one line.
  const std::size_t end_alone = line_.find('\r');
  if (end_alone != line_.npos && line_.find_first_not_of('\r', end_alone) != line_.npos)
    fail("a carriage return inside a line: lines end with \"\\n\" or \"\\r\\n\"");
  return line_;
}

// Appends another block to the buffer; false at the end of the file.
bool Lines::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ > kLongestLine + 1) {
    ++number_;
    fail("the line is longer than " + std::to_string(kLongestLine) + " bytes");
  }
  if (buffer_.size() - end_ < kBlock / 2) buffer_.resize(buffer_.size() * 2);
  try {
    const std::size_t got = source_->read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    at_end_ = got == 0;
  } catch (const BrokenBytes& broken) {
    throw DataError(file_, number_ + 1, broken.what());
  }
  return !at_end_;
}

void Lines::fail(const std::string& what) const {
  throw DataError(file_, number_, what);
}

}  // namespace rota::io
