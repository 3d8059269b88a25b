#include "core/records/run_history.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

namespace rota {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kEndBytes = 256;

std::string read_text(const FileDescriptor& fd, std::uint64_t at, std::size_t bytes) {
  std::string text(bytes, '\0');
  const std::ptrdiff_t n = read_at(fd.get(), std::as_writable_bytes(std::span(text)), at);
  return n == static_cast<std::ptrdiff_t>(bytes) ? text : "";
}

}  // namespace

void LineIndex::forget() {
  fd_.close();
  size_ = end_ = 0;
  end_text_.clear();
  lines_.clear();
  apart_.clear();
}

// The number of an inode is used again, so the text counts too.
bool LineIndex::is_same_file(const FileDescriptor& now) const {
  struct stat ours = {}, its = {};
  if (::fstat(fd_.get(), &ours) != 0 || ::fstat(now.get(), &its) != 0) return false;
  return ours.st_ino == its.st_ino && ours.st_dev == its.st_dev && static_cast<std::uint64_t>(its.st_size) >= end_ &&
         read_text(now, end_ - end_text_.size(), end_text_.size()) == end_text_;
}

bool LineIndex::update() {
  struct stat its = {}, ours = {};
  const bool is_there = ::stat(file_.c_str(), &its) == 0;
  const auto size = is_there ? static_cast<std::uint64_t>(its.st_size) : 0;
  if (fd_.open() && is_there && ::fstat(fd_.get(), &ours) == 0 && ours.st_ino == its.st_ino &&
      ours.st_dev == its.st_dev && size == size_)
    return false;
  auto now = open_file(file_, O_RDONLY);
  bool lost = false;
  if (fd_.open() && !(now.ok() && is_same_file(*now))) {
    lost = !lines_.empty() || !apart_.empty();
    forget();
  }
  if (!now.ok()) return lost;
  if (!fd_.open()) fd_ = *std::move(now);
  size_ = size;
  scan(size);
  return lost;
}

void LineIndex::scan(std::uint64_t size) {
  std::string block;
  std::string begin;  // of the line that began in an earlier block, as far as its kind needs it
  std::uint64_t line = end_, at = end_;
  while (at < size) {
    block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, size - at)));
    const std::ptrdiff_t n = read_at(fd_.get(), std::as_writable_bytes(std::span(block)), at);
    if (n <= 0) break;
    const std::string_view text(block.data(), static_cast<std::size_t>(n));
    std::size_t from = 0;
    for (std::size_t end; (end = text.find('\n', from)) != text.npos; from = end + 1) {
      if (begin.size() < apart_prefix_.size()) begin += text.substr(from, std::min(end - from, apart_prefix_.size()));
      const std::uint64_t line_end = at + end;
      add({line, static_cast<std::uint32_t>(std::min<std::uint64_t>(line_end - line, UINT32_MAX))}, begin);
      begin.clear();
      line = line_end + 1;
    }
    if (begin.size() < apart_prefix_.size()) begin += text.substr(from, apart_prefix_.size());
    at += text.size();
  }
  if (line == end_) return;
  end_ = line;
  end_text_ = read_text(fd_, end_ - std::min<std::uint64_t>(end_, kEndBytes), std::min<std::size_t>(end_, kEndBytes));
}

void LineIndex::add(LinePlace place, std::string_view begin) {
  const bool is_apart = !apart_prefix_.empty() && begin.starts_with(apart_prefix_);
  (is_apart ? apart_ : lines_).push_back(place);
}

std::vector<std::string> LineIndex::read(std::span<const LinePlace> places) const {
  std::vector<std::string> texts;
  texts.reserve(places.size());
  for (const LinePlace& place : places)
    texts.push_back(place.bytes > kLineBytesMax ? "" : read_text(fd_, place.at, place.bytes));
  return texts;
}

std::span<const LinePlace> LineIndex::from(const std::vector<LinePlace>& lines, std::size_t first, std::size_t most) {
  first = std::min(first, lines.size());
  return std::span(lines).subspan(first, std::min(most, lines.size() - first));
}

std::vector<std::size_t> evenly(std::size_t lines, std::size_t most) {
  std::vector<std::size_t> chosen(std::min(lines, most));
  for (std::size_t i = 0; i < chosen.size(); ++i)
    chosen[i] = chosen.size() < 2 ? 0 : i * (lines - 1) / (chosen.size() - 1);
  return chosen;
}

}  // namespace rota
