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
  void add(std::span<const Entry> block, std::size_t first, std::span<const double> weights) {
    if (block.size() < 2) return;
    std::size_t entries = 0;
    for (const Entry& entry : block) entries += matrix_.entries(column_of(entry));
    const auto places = static_cast<double>(block.size()) * static_cast<double>(matrix_.rows());
    if (static_cast<double>(entries) < kDenseBlock * places)
      add_sparse(block, first, weights);
    else
      add_dense(block, first, weights);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Node {
    std::uint32_t before;  // the same row's node of the previous column; or kNone
    std::uint32_t column;  // its place in the block
    double x;
  };
  // Average share of the rows that a block's columns fill above which lists of rows are slower than whole columns.
  static constexpr double kDenseBlock = 0.25;

  static std::uint32_t column_of(const Entry& entry) { return static_cast<std::uint32_t>(entry.key); }

  // Each row keeps a list of its columns, so that pairs without a common row cost nothing.
  void add_sparse(std::span<const Entry> block, std::size_t first, std::span<const double> weights) {
    nodes_.clear();
    for (std::uint32_t q = 0; q < block.size(); ++q) {
      matrix_.each(column_of(block[q]), [&](std::uint32_t row, double x) {
        const double weighted = weights[row] * x;
        for (std::uint32_t at = last_[row]; at != kNone; at = nodes_[at].before)
          block[q].part[first + nodes_[at].column] += weighted * nodes_[at].x;
        nodes_.push_back({last_[row], q, x});
        last_[row] = static_cast<std::uint32_t>(nodes_.size() - 1);
      });
    }
    for (const Entry& entry : block)
      matrix_.each(column_of(entry), [this](std::uint32_t row, double) { last_[row] = kNone; });
  }

  void add_dense(std::span<const Entry> block, std::size_t first, std::span<const double> weights) {
    for (std::size_t q = 1; q < block.size(); ++q) {
      const std::uint32_t j = column_of(block[q]);
      matrix_.each(j, [&](std::uint32_t row, double x) { spread_[row] = weights[row] * x; });
      for (std::size_t k = 0; k < q; ++k) block[q].part[first + k] += matrix_.dot(column_of(block[k]), spread_);
      matrix_.each(j, [this](std::uint32_t row, double) { spread_[row] = 0; });
    }
  }

  const HeldColumns& matrix_;
  std::vector<std::uint32_t> last_;  // each row's newest node; kNone between calls
  std::vector<Node> nodes_;
  std::vector<double> spread_;  // a column; zeros between calls
};

}  // namespace rota::lasso
