// Rows drawn at random, as plain loops and as the kernels take them.
#pragma once
#include <gtest/gtest.h>

#include <vector>

#include "rota/numerics/line_vector.h"
#include "rota/random.h"
#include "tests/unit/apps/mf/plain_step.h"

namespace rota::tests {

struct DrawnRows {
  std::vector<PlainRow> plain;
  LineVector<float> factors;
  std::vector<float> tails;
  std::vector<mf::Penalty> penalties;  // none: all rows have the same

  // With penalties of their own, those of biases up to `bias_penalty`, unless that is 0.
  DrawnRows(std::size_t count, std::uint32_t rank, bool biases, float bias_penalty, Random& random) : plain(count) {
    for (PlainRow& row : plain) {
      row.factors.resize((rank + 15) / 16 * 16);
      for (std::uint32_t k = 0; k < rank; ++k) row.factors[k] = random.uniform_float() - 0.25F;
      row.tail = {1 + random.uniform_float(), 1 + random.uniform_float()};
      if (biases) row.tail.insert(row.tail.end(), {random.uniform_float() - 0.5F, 1});
      row.penalty = {0.03F, 0.05F};
      if (bias_penalty != 0) row.penalty = {random.uniform_float() / 8, random.uniform_float() * bias_penalty};
      if (bias_penalty != 0) penalties.push_back(row.penalty);
      factors.insert(factors.end(), row.factors.begin(), row.factors.end());
      tails.insert(tails.end(), row.tail.begin(), row.tail.end());
    }
  }
  mf::RowPointers pointers() {
    return {factors.data(), tails.data(), {0.03F, 0.05F}, penalties.empty() ? nullptr : penalties.data()};
  }
  void expect_equal() const {
    const std::size_t width = plain[0].factors.size(), tail = plain[0].tail.size();
    for (std::size_t r = 0; r < plain.size(); ++r) {
      for (std::size_t k = 0; k < width; ++k) ASSERT_EQ(factors[r * width + k], plain[r].factors[k]) << r << " " << k;
      for (std::size_t k = 0; k < tail; ++k) ASSERT_EQ(tails[r * tail + k], plain[r].tail[k]) << r << " tail " << k;
    }
  }
};

}  // namespace rota::tests
