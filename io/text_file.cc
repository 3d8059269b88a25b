// io/text_file.cc -- plain files are read, not mapped: a mapped file that becomes shorter would kill the process.
#include "rota/io/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "rota/error.h"
#include "rota/io/decimal.h"

namespace rota::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;  // bytes; fits the second-level cache with the data parsed from it
constexpr std::size_t kSearched = std::size_t{1} << 14;  // bytes that are read at a time to find the end of a line
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Whether the size that the system reports is that of the content: files of /proc have 0, those of /sys 4096.
bool has_its_size(int descriptor, ::off_t size) {
  char last = 0;
  return size > 0 && ::pread(descriptor, &last, 1, size - 1) == 1 && ::pread(descriptor, &last, 1, size) <= 0;
}

}  // namespace

TextFile::TextFile(std::string path) : path_(std::move(path)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    throw NoInput(path_ + ": is not a file that can be read more than once");
  try {
    if (!open_bytes(path_)->is_plain()) return;
  } catch (const BrokenBytes& broken) {
    throw DataError(path_, 0, broken.what());
  }
  if ((remote_ = open_remote_file(path_)) != nullptr) {
    size_ = remote_->size();
    return;
  }
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0 && ::fstat(descriptor, &status) == 0 && has_its_size(descriptor, status.st_size)) {
    descriptor_ = descriptor;
    size_ = static_cast<std::uint64_t>(status.st_size);
  } else if (descriptor >= 0) {
    ::close(descriptor);
  }
}

TextFile::TextFile(TextFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      remote_(std::move(other.remote_)),
      size_(other.size_) {}

TextFile::~TextFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void TextFile::read(std::uint64_t offset, char* to, std::size_t size) const {
  for (const auto part = remote_ ? remote_->stream(offset, offset + size) : nullptr; part && size > 0;) {
    const std::size_t got = part->read(to, size);
    if (got == 0) throw BrokenBytes("the object ends early");
    to += got;
    size -= got;
  }
  while (size > 0) {
    const ::ssize_t got = ::pread(descriptor_, to, size, static_cast<::off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw BrokenBytes(std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) throw BrokenBytes("the file became shorter while it was read");
    offset += static_cast<std::uint64_t>(got);
    to += got;
    size -= static_cast<std::size_t>(got);
  }
}

std::uint64_t TextFile::line_start(std::uint64_t offset) const {
  char buffer[kSearched];
  if (offset <= kByteOrderMark.size()) {
    const std::size_t some = static_cast<std::size_t>(std::min<std::uint64_t>(kByteOrderMark.size(), size_));
    read(0, buffer, some);
    const bool marked = std::string_view(buffer, some) == kByteOrderMark;
    if (marked) return kByteOrderMark.size();
    if (offset == 0) return 0;
  }
  // A line begins after each end of a line, and the one sought may end just before `offset`.
  for (std::uint64_t at = offset - 1; at < size_;) {
    const std::size_t some = static_cast<std::size_t>(std::min<std::uint64_t>(kSearched, size_ - at));
    read(at, buffer, some);
    if (const void* found = std::memchr(buffer, '\n', some))
      return at + static_cast<std::uint64_t>(static_cast<const char*>(found) - buffer) + 1;
    at += some;
  }
  return size_;
}

LineBlocks::LineBlocks(const TextFile& file, std::uint64_t begin, std::uint64_t end)
    : file_(&file), at_(begin), end_(end), at_start_(begin == 0) {
  if (!file.divisible()) source_ = open_bytes(file.path());
  if (file.remote_) stream_ = file.remote_->stream(begin, end);
}

std::size_t LineBlocks::read(char* to, std::size_t size) {
  if (source_) return source_->read(to, size);
  const std::size_t some = static_cast<std::size_t>(std::min<std::uint64_t>(size, end_ - at_));
  if (stream_) return stream_->read(to, some);
  file_->read(at_, to, some);
  at_ += some;
  return some;
}

// Moves the unused bytes to the front and reads more after them; false at the end.
bool LineBlocks::fill() {
  if (at_end_) return false;
  const std::size_t kept = used_ - given_;
  if (kept > kLongestLine + 1) throw BrokenBytes("the line is longer than " + std::to_string(kLongestLine) + " bytes");
  if (given_ > 0) std::memmove(buffer_.data(), buffer_.data() + given_, kept);
  given_ = 0;
  used_ = kept;
  const std::size_t wanted = source_ ? kBlock : static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, end_ - at_));
  const std::size_t room = kept + wanted + 1 + kReadable;  // 1: for a missing end of the last line
  if (buffer_.size() < room) buffer_.resize(std::max(room, kept == 0 ? 0 : 2 * buffer_.size()));
  const std::size_t got = read(buffer_.data() + kept, wanted);
  used_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

bool LineBlocks::next(std::string_view& block) {
  std::size_t searched = used_ - given_;  // what is left has no end of a line
  while (fill()) {
    if (at_start_) {
      if (used_ < kByteOrderMark.size()) continue;
      if (std::string_view(buffer_.data(), used_).starts_with(kByteOrderMark)) given_ = kByteOrderMark.size();
      at_start_ = false;
    }
    const char* const from = buffer_.data() + searched;
    if (const void* last = ::memrchr(from, '\n', used_ - searched)) {
      const std::size_t end = static_cast<std::size_t>(static_cast<const char*>(last) - buffer_.data()) + 1;
      block = {buffer_.data() + given_, end - given_};
      given_ = end;
      return true;
    }
    searched = used_ - given_;
  }
  if (given_ == used_) return false;
  if (buffer_[used_ - 1] != '\n') buffer_[used_++] = '\n';
  block = {buffer_.data() + given_, used_ - given_};
  given_ = used_;
  return true;
}

std::uint64_t text_bytes(const std::vector<std::string>& files) {
  std::uint64_t bytes = 0;
  std::vector<char> block(kBlock);
  for (const std::string& file : files) {
    const TextFile text(file);
    if (text.divisible()) {
      bytes += text.size();
      continue;
    }
    try {
      const auto source = open_bytes(file);
      while (const std::size_t some = source->read(block.data(), block.size())) bytes += some;
    } catch (const BrokenBytes&) {  // reported when the lines are read, with the line before it
    }
  }
  return bytes;
}

}  // namespace rota::io
