// apps/lasso/by_rows/block_dots.h -- how the columns of a block interfere: sum_i w_i x_ij x_ik of all pairs.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lasso/by_rows/held_columns.h"
#include "rota/round.h"

namespace rota::lasso {

// Uses 12 bytes for every row.
class BlockDots {
 public:
  // `matrix` outlives it.
  explicit BlockDots(const HeldColumns& matrix)
      : matrix_(matrix), last_(matrix.rows(), kNone), spread_(matrix.rows()) {}

  // Adds the sums with the q entries before it to the part of the q-th entry of the block, from number `first` on.
  void add(std::span<const Entry> block, std::size_t first, std::span<const double> weights);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Node {
    std::uint32_t before;  // the same row's node of the previous column; or kNone
    std::uint32_t column;  // its place in the block
    double x;
  };
  void add_sparse(std::span<const Entry> block, std::size_t first, std::span<const double> weights);
  void add_dense(std::span<const Entry> block, std::size_t first, std::span<const double> weights);

  const HeldColumns& matrix_;
  std::vector<std::uint32_t> last_;  // each row's newest node; kNone between calls
  std::vector<Node> nodes_;
  std::vector<double> spread_;  // a column; zeros between calls
};

}  // namespace rota::lasso
