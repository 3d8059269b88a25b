#include "apps/linear/row_files.h"

#include <algorithm>

#include "rota/io/numbers.h"

namespace rota::linear {

std::optional<io::WrongLine> RowBlock::parse(std::string_view text, io::LibsvmSize& seen) {
  return format_ == RowFormat::vw ? parse_vw(text, seen) : libsvm_.parse(text, {}, seen);
}

std::optional<io::WrongLine> RowBlock::parse_vw(std::string_view text, io::LibsvmSize& seen) {
  for (std::vector<double>* const list : {&labels_, &weights_, &values_}) list->clear();
  begins_.clear();
  ends_.clear();
  columns_.clear();
  const std::uint64_t before = seen.lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (!io::is_blank(line)) {
      if (std::string wrong = parser_.parse(line, line_); !wrong.empty())
        return io::WrongLine{seen.lines - before, std::move(wrong)};
      begins_.push_back(at);
      labels_.push_back(line_.label);
      weights_.push_back(line_.importance);
      columns_.insert(columns_.end(), line_.columns.begin(), line_.columns.end());
      values_.insert(values_.end(), line_.values.begin(), line_.values.end());
      ends_.push_back(columns_.size());
      ++seen.rows;
    }
    ++seen.lines;
    at = end + 1;
  }
  return std::nullopt;
}

LabelledRow RowBlock::row(std::size_t r, std::uint64_t number) const {
  const bool vw = format_ == RowFormat::vw;
  const std::span<const std::size_t> ends = vw ? ends_ : libsvm_.ends();
  const std::size_t at = r == 0 ? 0 : ends[r - 1], count = ends[r] - at;
  return {number,
          labels()[r],
          vw ? weights_[r] : 1,
          {(vw ? columns_.data() : libsvm_.columns()) + at, count},
          {(vw ? values_.data() : libsvm_.values()) + at, count}};
}

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
