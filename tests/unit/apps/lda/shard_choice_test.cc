#include "apps/lda/shard_choice.h"

namespace rota::lda {
namespace {

TEST(ShardChoice, GrowsWithTheRootOfTheTextSoThatTasksStayLong) {
  constexpr std::uint64_t kMega = 1'000'000;
  EXPECT_EQ(shards_for(0), 8U);
  EXPECT_EQ(shards_for(80 * kMega), 8U);
  EXPECT_EQ(shards_for(16 * 16 * 2 * 160'000 - 1), 8U);
  EXPECT_EQ(shards_for(16 * 16 * 2 * 160'000), 16U);
  EXPECT_EQ(shards_for(200 * kMega), 16U);
  EXPECT_EQ(shards_for(800 * kMega), 32U);
  EXPECT_EQ(shards_for(std::uint64_t{1} << 50), 256U);
}

}  // namespace
}  // namespace rota::lda
