#include "apps/mf/sgd/factor_rows.h"

#include <cstdint>

#include "rota/numerics/seed_mixer.h"

namespace rota::tests {
namespace {

using mf::FactorRows;
using mf::Loss;

FactorRows started(std::size_t rows, std::uint32_t rank, bool biases) {
  FactorRows out(rows, rank, biases);
  Random random = random_from(3);
  out.start(random, Loss::squared);
  return out;
}

std::vector<std::byte> bytes_of(const FactorRows& rows) {
  Writer out;
  rows.encode(out);
  return out.take();
}

TEST(FactorRows, BeginAtCacheLinesWithSmallFactorsAndNoBias) {
  FactorRows rows = started(5, 20, true);
  EXPECT_EQ(rows.width(), 32U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(rows.pointers({}, nullptr).factors) % 64, 0U);
  for (std::size_t r = 0; r < 5; ++r) {
    EXPECT_EQ(rows.factors(r).size(), 20U);
    EXPECT_EQ(rows.bias(r), 0);
    for (const float f : rows.factors(r)) EXPECT_TRUE(f >= 0 && f < std::sqrt(2 / 20.0));
    for (std::size_t k = 20; k < 32; ++k) EXPECT_EQ(rows.pointers({}, nullptr).factors[r * 32 + k], 0);
    const float* const tail = rows.pointers({}, nullptr).tails + r * 4;
    EXPECT_FLOAT_EQ(tail[0] + tail[1] + tail[3], 3 * 0.7F);
  }
}

TEST(FactorRows, GoThroughBytes) {
  for (const bool biases : {false, true})
    for (const std::uint32_t rank : {1U, 16U, 33U}) {
      FactorRows rows = started(7, rank, biases);
      if (biases) rows.pointers({}, nullptr).tails[2] = -0.5F;
      const auto bytes = bytes_of(rows);
      EXPECT_EQ(bytes.size(), 1 + 7 * (rank + (biases ? 4 : 2)) * 4);
      FactorRows back(7, rank, biases);
      Reader in(bytes);
      back.decode(in);
      EXPECT_TRUE(in.done());
      EXPECT_EQ(bytes_of(back), bytes);
      EXPECT_EQ(back.bias(0), biases ? -0.5F : 0);
    }
}

TEST(FactorRows, InvalidBytesAreRefused) {
  const auto bytes = bytes_of(started(3, 5, true));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    FactorRows rows(3, 5, true);
    Reader in(std::span<const std::byte>(bytes).first(size));
    rows.decode(in);
    EXPECT_FALSE(in.ok()) << size;
  }
  FactorRows others(4, 5, true);
  Reader in(bytes);
  others.decode(in);
  EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace rota::tests
