#include "rota/exchange/exchange_schedule.h"

namespace rota {
namespace {

Argument number_of(std::uint64_t n) {
  return Argument(n);
}

TEST(ExchangeSchedule, AnEpochEndsWithARoundOfTheStore) {
  ExchangeSchedule schedule(3, {.rounds = 4, .dataflows = 3, .most = 2}, number_of);
  Random random({1, 2, 3, 4});
  EXPECT_EQ(schedule.pipeline(7), 0U) << "no feedback changes a choice";
  std::uint64_t n = 0;
  for (const bool last_epoch : {false, true}) {
    for (int i = 0; i < 4; ++i, ++n) {
      const Round round = schedule.next(random);
      EXPECT_EQ(round.dataflow, n % 3) << "dataflows take turns over the epochs";
      EXPECT_EQ(round.argument, number_of(n));
      EXPECT_FALSE(round.open || round.ends_epoch || round.ends_job);
    }
    const Round last = schedule.next(random);
    EXPECT_EQ(last.table, 3U);
    EXPECT_EQ(last.argument, number_of(n - 1));
    EXPECT_TRUE(last.open && last.ends_epoch && !last.dataflow);
    EXPECT_EQ(last.ends_job, last_epoch);
  }
}

TEST(ExchangeSchedule, ContinuesFromItsSavedState) {
  ExchangeSchedule schedule(0, {.rounds = 2, .dataflows = 3}, number_of),
      restored(0, {.rounds = 2, .dataflows = 3}, number_of);
  Random random({1, 2, 3, 4});
  for (int i = 0; i < 3; ++i) schedule.next(random);
  Writer saved;
  schedule.save(saved);
  Reader in(saved.view());
  restored.restore(in);
  ASSERT_TRUE(in.done());
  for (int i = 0; i < 9; ++i) {
    const Round mine = restored.next(random), wanted = schedule.next(random);
    EXPECT_EQ(mine.dataflow, wanted.dataflow);
    EXPECT_EQ(mine.argument, wanted.argument);
    EXPECT_FALSE(mine.ends_job) << "it does not know the number of epochs";
  }
}

TEST(ExchangeSchedule, EndsTheJobWhenAnEpochHasChangedLittle) {
  ExchangeSchedule schedule(0, {.rounds = 1}, {}, {.tolerance = 1});
  EXPECT_TRUE(schedule.may_end_job());
  EXPECT_EQ(schedule.wish(), Feedback::norms);
  schedule.feedback({1, 0, {}, {}, {}, {2, 1, 1}});
  schedule.figures();
  EXPECT_FALSE(schedule.ends_job());
  schedule.feedback({2, 0, {}, {}, {}, {0.5, 1, 1}});
  schedule.figures();
  EXPECT_TRUE(schedule.ends_job());
}

}  // namespace
}  // namespace rota
