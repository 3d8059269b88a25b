#include "apps/lasso/by_rows/block_dots.h"

namespace rota::lasso {
namespace {

// Average share of the rows that a block's columns fill above which lists of rows are slower than whole columns.
constexpr double kDenseBlock = 0.25;

std::uint32_t column_of(const Entry& entry) {
  return static_cast<std::uint32_t>(entry.key);
}

}  // namespace

void BlockDots::add(std::span<const Entry> block, std::size_t first, std::span<const double> weights) {
  if (block.size() < 2) return;
  std::size_t entries = 0;
  for (const Entry& entry : block) entries += matrix_.entries(column_of(entry));
  const auto places = static_cast<double>(block.size()) * static_cast<double>(matrix_.rows());
  if (static_cast<double>(entries) < kDenseBlock * places)
    add_sparse(block, first, weights);
  else
    add_dense(block, first, weights);
}

// Each row keeps a list of its columns, so that pairs without a common row cost nothing.
void BlockDots::add_sparse(std::span<const Entry> block, std::size_t first, std::span<const double> weights) {
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

void BlockDots::add_dense(std::span<const Entry> block, std::size_t first, std::span<const double> weights) {
  for (std::size_t q = 1; q < block.size(); ++q) {
    const std::uint32_t j = column_of(block[q]);
    matrix_.each(j, [&](std::uint32_t row, double x) { spread_[row] = weights[row] * x; });
    for (std::size_t k = 0; k < q; ++k) block[q].part[first + k] += matrix_.dot(column_of(block[k]), spread_);
    matrix_.each(j, [this](std::uint32_t row, double) { spread_[row] = 0; });
  }
}

}  // namespace rota::lasso
