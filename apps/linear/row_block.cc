#include "apps/linear/row_block.h"

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
    if (!std::all_of(line.begin(), line.end(), io::is_blank)) {
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

}  // namespace rota::linear
