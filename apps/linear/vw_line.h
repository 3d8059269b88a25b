// apps/linear/vw_line.h -- a line of Vowpal Wabbit's text format, for plain features.
//
//   label [importance] ['tag]|namespace[:scale] feature[:value] feature[:value] |namespace ...
//
// A feature is identified by its name and that of its namespace.  A value that is not given is 1, and the scale of a
// namespace multiplies its values.  A tag precedes the first bar without a blank, or begins with a quote.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rota::linear {

struct VwLine {
  double label = 0, importance = 1;
  std::vector<std::uint32_t> columns;  // a hash of 32 bits of each feature's name, ascending, each once
  std::vector<double> values;          // sums, if a name is repeated; none is 0
};

class VwParser {
 public:
  // Returns the error, or "".
  std::string parse(std::string_view line, VwLine& out);

 private:
  std::string parse_head(std::string_view head, VwLine& out);
  std::string parse_features(std::string_view text);
  void take(VwLine& out);

  std::vector<std::pair<std::uint32_t, double>> features_;
};

}  // namespace rota::linear
