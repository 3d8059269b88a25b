#include "core/rounds/open_scratch.h"

#include <bit>
#include <utility>
#include <vector>

namespace rota {

OpenScratch::OpenScratch(const Table& table)
    : keys_(table.keys),
      width_(table.part_width),
      numbers_(static_cast<std::size_t>(table.keys) * table.part_width),
      touched_(static_cast<std::size_t>((table.keys + 63) / 64)) {}

SparseRows OpenScratch::take() {
  std::vector<KeyRun> runs;
  std::uint64_t rows = 0;
  for (std::size_t word = 0; word < touched_.size(); ++word) {
    for (std::uint64_t left = touched_[word]; left != 0;) {
      const auto begin = static_cast<unsigned>(std::countr_zero(left));
      const auto length = static_cast<unsigned>(std::countr_one(left >> begin));
      append_run(runs, {word * 64 + begin, length});
      rows += length;
      // All ones from `begin` on would be shifted by the width of the word.
      left = begin + length == 64 ? 0 : left >> (begin + length) << (begin + length);
    }
    // A word that is zero is not written to, so that the memory of an untouched table stays untaken.
    if (touched_[word] != 0) touched_[word] = 0;
  }
  std::vector<double> copy;
  copy.reserve(static_cast<std::size_t>(rows) * width_);
  for (const KeyRun& run : runs) {
    const double* const numbers = numbers_.data() + static_cast<std::size_t>(run.first) * width_;
    copy.insert(copy.end(), numbers, numbers + static_cast<std::size_t>(run.count) * width_);
  }
  return {std::move(runs), std::move(copy), width_};
}

}  // namespace rota
