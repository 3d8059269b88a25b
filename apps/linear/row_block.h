// apps/linear/row_block.h -- the rows of a block of text, in LIBSVM's format or in Vowpal Wabbit's (vw_line.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "apps/linear/vw_line.h"
#include "rota/io/libsvm.h"

namespace rota::linear {

enum class RowFormat { libsvm, vw };

struct LabelledRow {
  std::uint64_t number;  // from 0, over all rows read
  double label;
  double weight;                           // an importance, if the format has one; else 1
  std::span<const std::uint32_t> columns;  // from 0, ascending; of names a hash of 32 bits
  std::span<const double> values;          // none is 0
};

class RowBlock {
 public:
  explicit RowBlock(RowFormat format, std::uint64_t index_from = 1) : format_(format), libsvm_(index_from) {}

  // Replaces the contents by the rows of whole lines; see LibsvmRows::parse.
  std::optional<io::WrongLine> parse(std::string_view text, io::LibsvmSize& seen);

  std::size_t rows() const { return labels().size(); }
  LabelledRow row(std::size_t r, std::uint64_t number) const;
  // The offset of the row's line in the text.
  std::size_t begin(std::size_t r) const { return format_ == RowFormat::vw ? begins_[r] : libsvm_.begins()[r]; }

 private:
  std::optional<io::WrongLine> parse_vw(std::string_view text, io::LibsvmSize& seen);
  std::span<const double> labels() const { return format_ == RowFormat::vw ? labels_ : libsvm_.labels(); }

  RowFormat format_;
  io::LibsvmRows libsvm_;
  VwParser parser_;
  VwLine line_;
  std::vector<double> labels_, weights_, values_;
  std::vector<std::size_t> begins_, ends_;
  std::vector<std::uint32_t> columns_;
};

}  // namespace rota::linear
