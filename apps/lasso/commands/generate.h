// apps/lasso/commands/generate.h -- makes data sets of known structure, as LIBSVM text.
//
// Matrices (J columns; U is uniform in (0, 1), g and e are standard normal, all independent):
//
//   chain           The data of the STRADS paper (Lee et al., NIPS 2014, section 5.1, "Lasso"): every column has
//                   values in `per_column` rows.  x_1 ~ U; then, with probability 1 - correlation, x_j ~ U in rows
//                   drawn again, and otherwise x_j = 0.9 x_(j-1) + 0.1 U.  The paper leaves open which rows those are;
//                   here they are the rows of x_(j-1), or the two columns would not correlate.
//   groups          Columns in `groups` contiguous groups k of nearly equal size, dense:
//                   x_ij = sqrt(c) g_ik + sqrt(1 - c) e_ij, so that columns of a group correlate by c = correlation.
//   equicorrelated  The same with one group: every two columns correlate by c.
//   dense           x_ij = e_ij.
//
// Values are rounded to `decimals` decimal places and never 0, so the text represents them exactly.  The response is
// computed from the rounded values:
//
//   f = X b, where `nonzeros` columns drawn without repetition have standard normal coefficients b and the others 0;
//   s = noise * sd(f): over the rows for chain, in expectation for the dense kinds;
//   squared loss: y = f + s e;     logistic: y = 1 if f + s l >= 0, else -1, where l has the logistic distribution,
//   so that P(y = 1) = 1 / (1 + exp(-f / s)).
#pragma once
#include <cstdint>
#include <iosfwd>
#include <optional>

namespace rota::lasso {

enum class DataKind { chain, groups, equicorrelated, dense };

struct GenerateSettings {
  DataKind kind = DataKind::chain;
  std::uint64_t rows = 50'000;
  std::uint64_t columns = 1'000'000;
  std::uint64_t per_column = 25;      // chain: rows in which a column has a value
  std::uint64_t groups = 40;          // groups: their number
  std::optional<double> correlation;  // chain: share of columns that follow their predecessor (0.1, as in the paper);
                                      // groups: 0.9 within; equicorrelated: 0.5
  std::uint64_t nonzeros = 1'000;     // true coefficients; at most all columns
  double noise = 0.1;                 // its standard deviation as a share of the signal's
  bool logistic = false;              // the response is a class, -1 or 1
  std::uint32_t decimals = 15;        // of a value in the text, 1 .. 15
  std::uint64_t entries_in_memory = std::uint64_t{1} << 25;  // chain: at most, except for a longer row; 16 bytes each
  std::uint64_t seed = 1;
};

// Writes the rows in order.  Equal settings give equal bytes.  Dense kinds take memory for one row; chain takes 16
// bytes a row, and memory for entries: a matrix with more entries is made in several passes, each writing some of the
// rows.  Throws UsageError for invalid settings, std::runtime_error if `out` fails.
void generate(const GenerateSettings& settings, std::ostream& out);

}  // namespace rota::lasso
