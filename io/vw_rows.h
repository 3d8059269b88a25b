// io/vw_rows.h -- the rows of a text in Vowpal Wabbit's format, for plain features.
//
//   label [importance] ['tag]|namespace[:scale] feature[:value] feature[:value] |namespace ...
//
// A feature is identified by its name and that of its namespace.  A value that is not given is 1, and the scale of a
// namespace multiplies its values.  A tag precedes the first bar without a blank, or begins with a quote.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rota/io/libsvm.h"

namespace rota::io {

// As LibsvmRows; a column is a hash of 32 bits of the feature's name, and values of one name are added up.
class VwRows {
 public:
  std::span<const double> labels() const { return labels_; }
  std::span<const double> weights() const { return weights_; }  // importances
  std::span<const std::size_t> begins() const { return begins_; }
  std::span<const std::size_t> ends() const { return ends_; }
  const std::uint32_t* columns() const { return columns_.data(); }
  const double* values() const { return values_.data(); }

  // Replaces the contents by the rows of a text of whole lines.  Adds lines and rows to `size`.
  std::optional<WrongLine> parse(std::string_view text, LibsvmSize& size);

 private:
  // These return the error, or "".
  std::string parse_line(std::string_view line);
  std::string parse_head(std::string_view head);
  std::string parse_features(std::string_view text);
  void end_row();

  std::vector<double> labels_, weights_, values_;
  std::vector<std::size_t> begins_, ends_;
  std::vector<std::uint32_t> columns_;
  std::vector<std::pair<std::uint32_t, double>> features_;  // of the row
};

}  // namespace rota::io
