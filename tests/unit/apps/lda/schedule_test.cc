// tests/unit/apps/lda/schedule_test.cc
#include "apps/lda/schedule.h"

#include <gtest/gtest.h>

namespace rota::lda {
namespace {

Job job_of(std::map<std::string, std::string, std::less<>> given) {
  for (const Option& option : options()) given.emplace(std::string(option.name), std::string(option.default_value));
  Job job;
  job.options = Options(std::move(given));
  job.shards = 2;
  job.slices = 4;
  return job;
}

// One letter for each round: o owned, t totals, p priors; capitals end the epoch.
std::string epoch_of(LdaSchedule& schedule) {
  Random random({1, 2, 3, 4});
  std::string rounds;
  while (true) {
    const Round round = schedule.next(random);
    char letter = !round.owned.empty() ? 'o' : round.table == kTotals ? 't' : 'p';
    if (round.ends_epoch) letter = static_cast<char>(letter - 'a' + 'A');
    rounds += letter;
    if (letter == 'p' || letter == 'P')
      rounds +=
          std::to_string(static_cast<int>(round.argument[0])) + std::to_string(static_cast<int>(round.argument[1]));
    if (round.ends_epoch) return rounds;
  }
}

LdaSchedule schedule_of(const Job& job) {
  return LdaSchedule(job, settings_of(job.options));
}

TEST(LdaSchedule, IsRotationAndTotals) {
  for (const char* valid : {"", "x"}) {
    LdaSchedule schedule = schedule_of(job_of({{"valid", valid}}));
    for (int epoch = 0; epoch < 20; ++epoch) EXPECT_EQ(epoch_of(schedule), "ooooT");
    EXPECT_EQ(schedule.pipeline(0), 0U) << "epochs may be known ahead";
  }
}

TEST(LdaSchedule, LessonsComeLast) {
  LdaSchedule schedule = schedule_of(job_of({{"learn_alpha", "2"}, {"learn_beta", "3"}, {"burn_in", "1"}}));
  for (const char* rounds : {"ooooT", "ooooT", "ooootP10", "ooootP01", "ooootP10", "ooooT", "ooootP11"})
    EXPECT_EQ(epoch_of(schedule), rounds);
}

TEST(LdaSchedule, GoesOnFromItsState) {
  const Job job = job_of({{"learn_alpha", "2"}, {"burn_in", "0"}});
  LdaSchedule straight = schedule_of(job), resumed = schedule_of(job);
  for (int epoch = 0; epoch < 3; ++epoch) epoch_of(straight);
  Writer out;
  straight.save(out);
  Reader in(out.view());
  resumed.restore(in);
  EXPECT_TRUE(in.done());
  for (int epoch = 0; epoch < 3; ++epoch) EXPECT_EQ(epoch_of(straight), epoch_of(resumed));
  for (std::size_t size = 0; size < out.view().size(); ++size) {
    Reader cut(out.view().first(size));
    resumed.restore(cut);
    EXPECT_FALSE(cut.ok()) << size;
  }
}

}  // namespace
}  // namespace rota::lda
