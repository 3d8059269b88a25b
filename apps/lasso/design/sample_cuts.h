// apps/lasso/design/sample_cuts.h -- a sample of a text's rows, by which columns are cut into shards before all is
// read.
//
// Which rows are in the sample depends on their positions in the text and on its size alone.  So it can be taken from a
// few places of a plain file, or, of a file that is decompressed on the fly, while all of it is read.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rota/io/libsvm.h"
#include "rota/io/text_file.h"

namespace rota::linear {

// The stride for a text of that many bytes: a power of two.
std::uint64_t sample_stride(std::uint64_t text_bytes);

// The sampled rows of one file.  Of every stride of text: the first row that begins in it, and those that begin in its
// first few kilobytes.
class ColumnSample {
 public:
  explicit ColumnSample(std::uint64_t stride = 1) : stride_(stride) {}

  // Adds the rows of a block of text that begins at byte `offset`; blocks come in order.  Rows that are not in the
  // sample are left out.
  void add(std::uint64_t offset, const io::LibsvmRows& rows);
  // Reduces the sample to that of a larger stride.  REQUIRES: a larger power of two.
  void coarsen(std::uint64_t stride);
  std::uint64_t stride() const { return stride_; }

  // Appends the column of every entry of the sample.
  void append_to(std::vector<std::uint32_t>& columns) const {
    columns.insert(columns.end(), columns_.begin(), columns_.end());
  }

 private:
  struct Row {
    std::uint64_t begin;  // in the file
    std::size_t end;      // of its entries, in columns_
  };
  bool wanted(std::uint64_t begin) const;

  std::uint64_t stride_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> columns_;
};

// The sample of a divisible file.  An invalid text ends early: reading all of it will report the error.
ColumnSample sample_columns(const io::TextFile& file, std::uint64_t stride, std::uint64_t index_from = 1);

// Where the shards' ranges of columns begin, so that each has about the same number of the sample's entries.  Ranges
// may be empty.
std::vector<std::uint64_t> cut_columns(std::vector<std::uint32_t> sample, std::uint32_t shards);

}  // namespace rota::linear
