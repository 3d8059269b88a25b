#include "rota/io/lines.h"

#include <iterator>
#include <utility>

#include "rota/error.h"
#include "rota/io/numbers.h"

namespace rota::io {

Lines::Lines(std::string path) : file_(std::move(path)) {
  try {
    blocks_ = std::make_unique<LineBlocks>(open_bytes(file_));
  } catch (const BrokenBytes& broken) {
    throw DataError(file_, 0, broken.what());
  }
  if (!fill()) throw DataError(file_, 0, "the file is empty");
}

Lines::Lines(std::string name, std::unique_ptr<ByteSource> source)
    : file_(std::move(name)), blocks_(std::make_unique<LineBlocks>(std::move(source))) {
  if (!fill()) throw DataError(file_, 0, "the file is empty");
}

bool Lines::fill() {
  try {
    return blocks_->next(block_);
  } catch (const BrokenBytes& broken) {
    throw DataError(file_, number_ + 1, broken.what());
  }
}

bool Lines::next(std::string_view& line) {
  if (!again_.empty()) {
    given_again_ = std::move(again_.front());
    again_.pop_front();
    ++number_;
    line = given_again_;
    return true;
  }
  if (block_.empty() && !fill()) return false;
  ++number_;
  const std::size_t end = block_.find('\n');
  line = block_.substr(0, end);
  block_.remove_prefix(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > kLongestLine) fail("the line is longer than " + std::to_string(kLongestLine) + " bytes");
  // Readers would treat it as a blank, and the whole file as one line.
  const std::size_t end_alone = line.find('\r');
  if (end_alone != line.npos && line.find_first_not_of('\r', end_alone) != line.npos)
    fail("a carriage return inside a line: lines end with \"\\n\" or \"\\r\\n\"");
  return true;
}

void Lines::give_again(std::vector<std::string> lines) {
  number_ -= lines.size();
  again_.insert(again_.begin(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
}

void Lines::fail(const std::string& what) const {
  throw DataError(file_, number_, what);
}

std::uint64_t Lines::whole_number(std::string_view field, const std::string& what, std::uint64_t least,
                                  std::uint64_t most) const {
  std::uint64_t value = 0;
  if (field.empty() || field.find_first_not_of("0123456789") != field.npos)
    fail("expected " + what + ", found " + quoted(field));
  if (scan_digits(field.data(), field.data() + field.size(), value) == nullptr || value < least || value > most)
    fail("expected " + what + " from " + std::to_string(least) + " to " + std::to_string(most) + ", found " +
         quoted(field));
  return value;
}

void Lines::expect_end(std::string_view rest, const std::string& what) const {
  if (const std::string_view more = next_field(rest); !more.empty())
    fail("expected " + what + ", found " + quoted(more) + " after it");
}

}  // namespace rota::io
