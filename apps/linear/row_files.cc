#include "apps/linear/row_files.h"

#include <algorithm>

#include "rota/error.h"
#include "rota/io/text_file.h"

namespace rota::linear {

void RowFiles::each(const std::function<void(const LabelledRow&)>& take) {
  rows_ = columns_ = 0;
  for (const std::string& path : paths_) {
    try {
      read(path, take);
    } catch (const io::BrokenBytes& broken) {
      throw DataError(path, 0, broken.what());
    }
  }
}

void RowFiles::fail(const std::string& what) const {
  const std::string_view before = block_.substr(0, begin_);
  const auto inside = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  throw DataError(*path_, lines_before_ + inside + 1, what);
}

void RowFiles::read(const std::string& path, const std::function<void(const LabelledRow&)>& take) {
  path_ = &path;
  const io::TextFile file(path);
  io::LineBlocks blocks = file.all_lines();
  io::LibsvmSize seen;
  while (blocks.next(block_)) {
    lines_before_ = seen.lines;
    if (const auto wrong = parsed_.parse(block_, {}, seen))
      throw DataError(path, lines_before_ + wrong->lines_before + 1, wrong->what);
    if (rows_ + parsed_.ends().size() > io::kMostRows)
      throw DataError(path, seen.lines, "the data has at most " + std::to_string(io::kMostRows) + " rows");
    std::size_t at = 0;
    for (std::size_t r = 0; r < parsed_.ends().size(); ++r) {
      const std::size_t count = parsed_.ends()[r] - at;
      begin_ = parsed_.begins()[r];
      take({rows_++, parsed_.labels()[r], {parsed_.columns() + at, count}, {parsed_.values() + at, count}});
      at += count;
    }
  }
  columns_ = std::max(columns_, seen.columns);
}

}  // namespace rota::linear
