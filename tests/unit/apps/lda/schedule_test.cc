// tests/unit/apps/lda/schedule_test.cc
#include "apps/lda/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

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

// One letter for each round: o owned, t totals, s scores, p priors; capitals end the epoch, '!' the job.
std::string epoch_of(LdaSchedule& schedule, double score) {
  Random random({1, 2, 3, 4});
  std::string rounds;
  while (true) {
    const Round round = schedule.next(random);
    char letter = !round.owned.empty() ? 'o' : round.table == kTotals ? 't' : round.table == kScores ? 's' : 'p';
    if (round.ends_epoch) letter = static_cast<char>(letter - 'a' + 'A');
    rounds += letter;
    if (letter == 'p' || letter == 'P')
      rounds +=
          std::to_string(static_cast<int>(round.argument[0])) + std::to_string(static_cast<int>(round.argument[1]));
    if (round.ends_job) rounds += '!';
    if (round.table == kScores) {
      const double value[] = {score * 10, 10}, change[] = {0, 0};
      const Delta deltas[] = {{0, value, change}};
      schedule.feedback({1, kScores, deltas, {}, {}});
    }
    if (round.ends_epoch) return rounds;
  }
}

LdaSchedule schedule_of(const Job& job) {
  return LdaSchedule(job, settings_of(job.options));
}

TEST(LdaSchedule, IsRotationAndTotals) {
  LdaSchedule schedule = schedule_of(job_of({}));
  for (int epoch = 0; epoch < 20; ++epoch) EXPECT_EQ(epoch_of(schedule, 0), "ooooT");
  EXPECT_EQ(schedule.pipeline(0), 0U) << "epochs may be known ahead";
  EXPECT_TRUE(schedule.figures().empty());
}

TEST(LdaSchedule, LessonsAndScoresComeLast) {
  LdaSchedule schedule = schedule_of(
      job_of({{"valid", "x"}, {"valid_every", "2"}, {"learn_alpha", "2"}, {"learn_beta", "3"}, {"burn_in", "1"}}));
  EXPECT_EQ(schedule.pipeline(0), 1U);
  for (const char* rounds : {"ooooT", "ooooT", "ooootsP10", "ooootP01", "ooootsP10", "ooooT", "ooootsP11"})
    EXPECT_EQ(epoch_of(schedule, -7), rounds);
}

TEST(LdaSchedule, EndsWithTheBestModelPutBack) {
  LdaSchedule schedule =
      schedule_of(job_of({{"valid", "x"}, {"patience", "2"}, {"learn_alpha", "1"}, {"burn_in", "0"}}));
  EXPECT_EQ(epoch_of(schedule, 0), "ooooT");
  EXPECT_EQ(epoch_of(schedule, -8), "ooootsP10");
  EXPECT_EQ(epoch_of(schedule, -7), "ooootsP10");
  EXPECT_EQ(schedule.figures().size(), 3U);
  EXPECT_EQ(epoch_of(schedule, -7.5), "ooootsP10");
  EXPECT_EQ(epoch_of(schedule, -7), "ooootsP00") << "not better: nothing is learned any more";
  const auto figures = schedule.figures();
  EXPECT_EQ(figures[1].name, "best_valid_perplexity");
  EXPECT_NEAR(figures[1].value, std::exp(7.0), 1e-6);
  EXPECT_EQ(figures[2].value, 2);
  EXPECT_EQ(epoch_of(schedule, 0), "ooootP00!");
}

TEST(LdaSchedule, GoesOnFromItsState) {
  const Job job = job_of({{"valid", "x"}, {"patience", "2"}, {"learn_alpha", "2"}, {"burn_in", "0"}});
  LdaSchedule straight = schedule_of(job), resumed = schedule_of(job);
  for (const double score : {0.0, -7.0, -8.0}) epoch_of(straight, score);
  Writer out;
  straight.save(out);
  Reader in(out.view());
  resumed.restore(in);
  EXPECT_TRUE(in.done());
  for (const double score : {-9.0, 0.0}) EXPECT_EQ(epoch_of(straight, score), epoch_of(resumed, score));
  for (std::size_t size = 0; size < out.view().size(); ++size) {
    Reader cut(out.view().first(size));
    resumed.restore(cut);
    EXPECT_FALSE(cut.ok()) << size;
  }
}

}  // namespace
}  // namespace rota::lda
