#include "rota/numerics/item_order.h"

namespace rota {
namespace {

TEST(RandomOrder, EveryOrderIsEquallyLikely) {
  Random random({1, 2, 3, 4});
  std::map<std::vector<std::size_t>, int> seen;
  for (int i = 0; i < 24000; ++i) ++seen[random_order(4, random)];
  EXPECT_EQ(seen.size(), 24U);
  // Six standard deviations of a binomial of 1 / 24.
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, 1000, 186);
  EXPECT_TRUE(random_order(0, random).empty());
}

TEST(ItemOrder, TheRoundsOfAnEpochHaveEveryItemOnce) {
  Random random({1, 2, 3, 4});
  ItemOrder order(11, 4);
  std::vector<std::size_t> before;
  for (Epoch epoch = 1; epoch <= 3; ++epoch) {
    std::vector<std::size_t> items, sizes;
    for (int round = 0; round < 4; ++round) {
      const auto share = order.next(epoch, random);
      items.insert(items.end(), share.begin(), share.end());
      sizes.push_back(share.size());
    }
    EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 3, 3, 3}));
    EXPECT_NE(items, before);
    before = items;
    std::sort(items.begin(), items.end());
    for (std::size_t i = 0; i < 11; ++i) EXPECT_EQ(items[i], i);
  }
}

TEST(ItemOrder, AnEpochDependsOnItsOwnRandomOnly) {
  Random first({1, 2, 3, 4}), again({1, 2, 3, 4}), other({5, 6, 7, 8});
  ItemOrder order(20, 1), resumed(20, 1);
  order.next(1, other);
  const auto items = order.next(2, first);
  EXPECT_TRUE(std::ranges::equal(items, resumed.next(2, again)));
}

}  // namespace
}  // namespace rota
