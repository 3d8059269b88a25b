// core/rounds/open_scratch.h -- the memory of OpenParts, used by one push after another.
#pragma once
#include <cstdint>

#include "core/rounds/sparse_rows.h"
#include "core/rounds/zeroed.h"
#include "rota/job.h"
#include "rota/open_parts.h"

namespace rota {

class OpenScratch {
 public:
  // For a dense table.
  explicit OpenScratch(const Table& table);

  OpenParts parts() { return {keys_, width_, numbers_.data(), touched_.data()}; }
  // The parts of all rows that were asked for; then there are none.  Costs what was touched, and a look at a bit for
  // each row.
  SparseRows take();

 private:
  Key keys_;
  std::uint32_t width_;
  Zeroed<double> numbers_;         // row after row; what they are is of no meaning where the bit is not set
  Zeroed<std::uint64_t> touched_;  // a bit for each row
};

}  // namespace rota
