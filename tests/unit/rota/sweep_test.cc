#include "rota/schedules/sweep.h"

namespace rota {
namespace {

TEST(RoundRobin, EveryRowOnceAnEpoch) {
  RoundRobinSchedule schedule(3, 10, 4);
  Random random({1, 2, 3, 4});
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<Key> rows;
    std::vector<std::size_t> sizes;
    for (bool ended = false; !ended;) {
      const Round round = schedule.next(random);
      EXPECT_EQ(round.table, 3U);
      EXPECT_TRUE(round.owned.empty());
      rows.insert(rows.end(), round.shared.begin(), round.shared.end());
      sizes.push_back(round.shared.size());
      ended = round.ends_epoch;
    }
    EXPECT_EQ(sizes, (std::vector<std::size_t>{4, 4, 2}));
    std::vector<Key> all(10);
    for (Key key = 0; key < 10; ++key) all[key] = key;
    EXPECT_EQ(rows, all);
  }
}

TEST(RoundRobin, WithoutAToleranceItGetsNoFeedbackAndNeverEnds) {
  RoundRobinSchedule schedule(0, 2, 1, Argument(0.5));
  Random random({1, 2, 3, 4});
  EXPECT_EQ(schedule.pipeline(7), 0U);
  EXPECT_FALSE(schedule.may_end_job());
  EXPECT_EQ(schedule.next(random).argument, Argument(0.5));
  EXPECT_TRUE(schedule.figures().empty());
  EXPECT_FALSE(schedule.converged().has_value());
}

TEST(RoundRobin, EndsTheJobWhenAnEpochHasChangedLessThanTheTolerance) {
  for (const auto& [norm, far] :
       {std::pair(StopBelow::Norm::l1, ChangeNorms{2, 1, 1}), std::pair(StopBelow::Norm::l2, ChangeNorms{1, 4, 1}),
        std::pair(StopBelow::Norm::largest, ChangeNorms{1, 1, 2})}) {
    RoundRobinSchedule schedule(0, 2, 1, {}, {.tolerance = 1.75, .norm = norm});
    EXPECT_GT(schedule.pipeline(0), 0U);
    EXPECT_EQ(schedule.pipeline(3), 3U);
    EXPECT_EQ(schedule.wish(), Feedback::norms);
    EXPECT_TRUE(schedule.may_end_job());
    schedule.feedback({1, 0, {}, {}, {}, far});
    EXPECT_EQ(schedule.figures().size(), 3U);
    EXPECT_FALSE(schedule.ends_job());
    EXPECT_EQ(schedule.converged(), false);
    schedule.feedback({2, 0, {}, {}, {}, {0.5, 0.5, 0.5}});
    schedule.feedback({3, 0, {}, {}, {}, {0.5, 0.5, 0.5}});
    EXPECT_EQ(schedule.figures().at(0).value, 1) << "of this epoch alone";
    EXPECT_TRUE(schedule.ends_job());
    EXPECT_EQ(schedule.converged(), true);
  }
}

TEST(RoundRobin, EndsTheJobWhenAPullSaysSo) {
  RoundRobinSchedule schedule(0, 1, 1, {}, {.by_pull = true});
  EXPECT_TRUE(schedule.may_end_job());
  for (const bool ends : {false, true, false}) {
    Writer reply;
    write_fields(reply, ends);
    schedule.feedback({1, 0, {}, {}, Bytes::from(reply.take()), {}});
    schedule.figures();
    EXPECT_EQ(schedule.ends_job(), ends) << "though no row changed";
  }
}

TEST(RandomSweep, RowsOfARoundAreDifferentAndInRange) {
  RandomSchedule schedule(1, 20, 6);
  Random random({1, 2, 3, 4});
  std::vector<int> drawn(20);
  for (int i = 0; i < 10000; ++i) {
    const Round round = schedule.next(random);
    const std::set<Key> rows(round.shared.begin(), round.shared.end());
    ASSERT_EQ(rows.size(), 6U);
    ASSERT_LT(*rows.rbegin(), 20U);
    ASSERT_TRUE(std::is_sorted(round.shared.begin(), round.shared.end()));
    for (const Key key : rows) ++drawn[key];
  }
  // Each row with probability 6 / 20; six standard deviations.
  for (const int count : drawn) EXPECT_NEAR(count, 3000, 275);
}

TEST(RandomSweep, AnEpochIsAsManyDrawsAsThereAreRows) {
  RandomSchedule schedule(0, 10, 3);
  Random random({1, 2, 3, 4});
  for (int epoch = 0; epoch < 2; ++epoch) {
    int rounds = 1;
    while (!schedule.next(random).ends_epoch) ++rounds;
    EXPECT_EQ(rounds, 4);
  }
}

TEST(RandomSweep, ABatchAsLargeAsTheTableIsTheTable) {
  RandomSchedule schedule(0, 4, 100);
  Random random({1, 2, 3, 4});
  const Round round = schedule.next(random);
  EXPECT_EQ(round.shared, (std::vector<Key>{0, 1, 2, 3}));
  EXPECT_TRUE(round.ends_epoch);
}

TEST(Open, EveryEpochIsOneOpenRound) {
  OpenSchedule schedule(3, Argument(0.5), StopBelow{.tolerance = 1});
  Random random({1, 2, 3, 4});
  for (int epoch = 0; epoch < 3; ++epoch) {
    const Round round = schedule.next(random);
    EXPECT_EQ(round.table, 3U);
    EXPECT_TRUE(round.open);
    EXPECT_TRUE(round.ends_epoch);
    EXPECT_TRUE(round.shared.empty());
    EXPECT_TRUE(is_shared(round));
    EXPECT_EQ(round.argument, Argument(0.5));
  }
  Round with_slices = schedule.next(random);
  with_slices.owned.resize(2);
  EXPECT_TRUE(is_shared(with_slices));
  with_slices.open = false;
  EXPECT_FALSE(is_shared(with_slices));
}

TEST(Open, AnEpochCanHaveSeveralRounds) {
  OpenSchedule schedule(0, {}, {}, 3);
  Random random({1, 2, 3, 4});
  for (int n = 1; n <= 9; ++n) {
    const Round round = schedule.next(random);
    EXPECT_TRUE(round.open);
    EXPECT_EQ(round.ends_epoch, n % 3 == 0) << n;
  }
}

}  // namespace
}  // namespace rota
