#include "rota/schedules/colours.h"

namespace rota {
namespace {

TEST(Colours, NoTwoOfAGroupHaveTheSame) {
  Random random({1, 2, 3, 4});
  for (int round = 0; round < 100; ++round) {
    std::vector<std::vector<std::size_t>> groups(30);
    for (auto& group : groups) {
      std::set<std::size_t> members;
      for (std::size_t i = random.below(5); i > 0; --i) members.insert(random.below(20));
      group.assign(members.begin(), members.end());
    }
    const std::vector<std::size_t> colours = greedy_colours(20, groups);
    ASSERT_EQ(colours.size(), 20U);
    for (const auto& group : groups) {
      std::set<std::size_t> seen;
      for (const std::size_t thing : group) EXPECT_TRUE(seen.insert(colours[thing]).second);
    }
  }
}

TEST(Colours, AreTheFirstThatAreFree) {
  const std::vector<std::vector<std::size_t>> chain = {{0, 1}, {1, 2}, {2, 3}}, all = {{2, 0, 1, 3}};
  EXPECT_EQ(greedy_colours(4, chain), (std::vector<std::size_t>{0, 1, 0, 1}));
  EXPECT_EQ(greedy_colours(4, all), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(greedy_colours(3, {}), (std::vector<std::size_t>{0, 0, 0}));
}

TEST(Colours, AnEpochHasARoundForEachColour) {
  ColourSchedule schedule(2, std::vector<std::size_t>{0, 2, 1, 0, 2});
  const std::vector<std::vector<Key>> rows = {{0, 3}, {2}, {1, 4}};
  Random random({1, 2, 3, 4});
  for (std::size_t n = 0; n < 6; ++n) {
    const Round round = schedule.next(random);
    EXPECT_EQ(round.table, 2U);
    EXPECT_EQ(round.shared, rows[n % 3]);
    EXPECT_EQ(round.argument.as<std::size_t>(), n % 3);
    EXPECT_EQ(round.ends_epoch, n % 3 == 2);
  }
}

}  // namespace
}  // namespace rota
