#include "core/rounds/norms.h"

#include <cmath>
#include <vector>

namespace rota {
namespace {

std::vector<double> changes_of(std::size_t count) {
  std::vector<double> changes(count);
  for (std::size_t i = 0; i < count; ++i) changes[i] = (i % 2 == 0 ? 1 : -1) * static_cast<double>(1 + i % 97);
  return changes;
}

TEST(Norms, AreThoseOfTheNumbers) {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 1023U, 1024U, 1025U, 5000U}) {
    const std::vector<double> changes = changes_of(count);
    ChangeNorms expected;
    for (const double change : changes) expected.add(change);
    EXPECT_EQ(norms_of(changes), expected) << count << " whole numbers, whose sums are exact";
  }
  const ChangeNorms norms = norms_of(std::vector<double>{3, -4});
  EXPECT_EQ(norms.l1, 7);
  EXPECT_EQ(norms.l2_squared, 25);
  EXPECT_EQ(norms.largest, 4);
}

TEST(Norms, DoNotDependOnWhoSumsTheBlocks) {
  std::vector<double> changes = changes_of(3 * kNormBlock + 5);
  for (double& change : changes) change = std::sin(change);
  ChangeNorms by_blocks;
  for (std::size_t at = 0; at < changes.size(); at += kNormBlock)
    by_blocks += norms_of_block(std::span(changes).subspan(at, std::min(kNormBlock, changes.size() - at)));
  EXPECT_EQ(norms_of(changes), by_blocks);
}

}  // namespace
}  // namespace rota
