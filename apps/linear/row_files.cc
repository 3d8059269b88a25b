#include "apps/linear/row_files.h"

#include <algorithm>

namespace rota::linear {

void RowFiles::each(const Take& take) {
  rows_ = columns_ = 0;
  for (const std::string& path : paths_) {
    try {
      const io::TextFile file(path);
      skipped_ = 0;
      read(path, file.all_lines(), take);
    } catch (const io::BrokenBytes& broken) {
      throw DataError(path, 0, broken.what());
    }
  }
}

void RowFiles::each_of(std::uint32_t section, std::uint32_t sections, const Take& take) {
  rows_ = columns_ = 0;
  std::uint64_t all = 0, before = 0;
  for (const std::string& path : paths_) {
    const io::TextFile file(path);
    if (!file.divisible()) throw DataError(path, 0, "a part of a compressed file cannot be read: expected a plain one");
    all += file.size();
  }
  const std::uint64_t first = all / sections * section + std::min<std::uint64_t>(section, all % sections);
  const std::uint64_t end = first + all / sections + (section < all % sections ? 1 : 0);
  for (const std::string& path : paths_) {
    try {
      const io::TextFile file(path);
      const auto inside = [&](std::uint64_t at) { return std::clamp(at, before, before + file.size()) - before; };
      const std::uint64_t from = file.line_start(inside(first)), to = file.line_start(inside(end));
      before += file.size();
      skipped_ = from;
      if (from < to) read(path, file.lines(from, to), take);
    } catch (const io::BrokenBytes& broken) {
      throw DataError(path, 0, broken.what());
    }
  }
}

DataError RowFiles::error(const std::string& what) const {
  const std::string_view before = block_.substr(0, begin_);
  const auto inside = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  return DataError(*path_, lines_skipped() + lines_before_ + inside + 1, what);
}

std::uint64_t RowFiles::lines_skipped() const {
  if (skipped_ == 0) return 0;
  const io::TextFile file(*path_);
  io::LineBlocks blocks = file.lines(0, skipped_);
  std::uint64_t lines = 0;
  for (std::string_view block; blocks.next(block);)
    lines += static_cast<std::uint64_t>(std::count(block.begin(), block.end(), '\n'));
  return lines;
}

void RowFiles::read(const std::string& path, io::LineBlocks blocks, const Take& take) {
  path_ = &path;
  io::LibsvmSize seen;
  while (blocks.next(block_)) {
    lines_before_ = seen.lines;
    if (const auto wrong = parsed_.parse(block_, seen))
      throw DataError(path, lines_skipped() + lines_before_ + wrong->lines_before + 1, wrong->what);
    if (rows_ + parsed_.rows() > io::kMostRows)
      throw DataError(path, seen.lines, "the data has at most " + std::to_string(io::kMostRows) + " rows");
    for (std::size_t r = 0; r < parsed_.rows(); ++r) {
      begin_ = parsed_.begin(r);
      take(parsed_.row(r, rows_++));
    }
  }
  columns_ = std::max(columns_, seen.columns);
}

}  // namespace rota::linear
