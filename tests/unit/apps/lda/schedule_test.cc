#include "apps/lda/schedule.h"

namespace rota::lda {
namespace {

Job job_of(std::map<std::string, std::string, std::less<>> given) {
  for (const Option& option : declared_options<Settings>())
    given.emplace(std::string(option.name), std::string(option.default_value));
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
    if (letter == 'p' || letter == 'P') {
      const auto which = round.argument.as<WhichPriors>();
      rounds.append(which.alpha ? "a" : "").append(which.beta ? "b" : "");
    }
    if (round.ends_epoch) return rounds;
  }
}

LdaSchedule schedule_of(const Job& job, std::uint64_t tokens = 1'000'000) {
  return LdaSchedule(job, settings_of(job.options), tokens);
}

TEST(LdaSchedule, IsRotationAndTotals) {
  for (const char* valid : {"", "x"}) {
    LdaSchedule schedule = schedule_of(job_of({{"valid", valid}, {"topics", "257"}}));
    EXPECT_EQ(epoch_of(schedule), "ooootooootooootooooT") << "the sample three times, then the rest";
    for (int epoch = 1; epoch < 20; ++epoch) EXPECT_EQ(epoch_of(schedule), "ooooT") << epoch;
    EXPECT_EQ(schedule.pipeline(0), 0U) << "epochs may be known ahead";
  }
}

TEST(LdaSchedule, StartingPassSharesTotalsAfterEverySlice) {
  for (const bool heavy : {false, true}) {
    LdaSchedule schedule = schedule_of(job_of({{"topics", "257"}}));
    EXPECT_EQ(schedule.cut(heavy ? Census{100, 1, 1, 1, 1} : Census{1, 1, 1, 1}, 4).replicated.size(), heavy ? 1U : 0U);
    Random random({1, 2, 3, 4});
    for (const Pass pass : {Pass::sample, Pass::sample_again, Pass::sample_third, Pass::rest}) {
      for (int step = 0; step < 4; ++step) {
        const Round round = schedule.next(random);
        EXPECT_EQ(round.owned.size(), 2U);
        EXPECT_EQ(round.shared, std::vector<Key>{kTopicTotals});
        EXPECT_EQ(round.last_visits, pass == Pass::rest && step >= 2);
        const auto turn = round.argument.as<Turn>();
        EXPECT_EQ(turn.pass, pass);
        EXPECT_FALSE(turn.is_of(0) || turn.is_of(1) || turn.ends_pass() || turn.ends_epoch());
      }
      for (ShardId shard = 0; shard < (heavy ? 2 : 1); ++shard) {
        const Round round = schedule.next(random);
        EXPECT_TRUE(round.owned.empty());
        const auto turn = round.argument.as<Turn>();
        EXPECT_EQ(turn.pass, pass);
        EXPECT_TRUE(turn.is_of(shard));
        EXPECT_EQ(turn.is_of(1 - shard), !heavy);
        EXPECT_EQ(turn.ends_pass(), !heavy || shard == 1);
        EXPECT_EQ(turn.ends_epoch(), round.ends_epoch);
        EXPECT_EQ(round.ends_epoch, pass == Pass::rest && turn.ends_pass());
      }
    }
    for (int step = 0; step < 4; ++step) EXPECT_TRUE(schedule.next(random).shared.empty());
    const auto all = schedule.next(random).argument.as<Turn>();
    EXPECT_TRUE(all.is_of(0) && all.is_of(1) && all.ends_epoch());
  }
  LdaSchedule small = schedule_of(job_of({}), 31'999);
  small.cut(Census{100, 1, 1, 1, 1}, 4);
  for (int epoch = 0; epoch < 3; ++epoch) EXPECT_EQ(epoch_of(small), "ooootT") << epoch;
}

TEST(LdaSchedule, OtherStartsAndFewTopicsHaveOnePass) {
  for (const auto& option : {std::pair("start", "random"), {"start", "annealed"}, {"init_model", "x"}}) {
    LdaSchedule schedule = schedule_of(job_of({option, {"topics", "257"}}));
    EXPECT_EQ(epoch_of(schedule), "ooooT") << option.second;
  }
  LdaSchedule few = schedule_of(job_of({{"topics", "256"}}));
  EXPECT_EQ(epoch_of(few), "ooooT");
}

TEST(LdaSchedule, BetaOfTheFirstEpochs) {
  for (const Epoch epoch : {0U, 1U, 2U, 3U}) {
    EXPECT_EQ(sampled_beta(Start::annealed, epoch, 0.01, 50, 100), epoch < 3 ? 0.3 : 0.01) << epoch;
    EXPECT_EQ(sampled_beta(Start::annealed, epoch, 0.5, 50, 100), 0.5) << epoch;
    EXPECT_EQ(sampled_beta(Start::online, epoch, 0.01, 199, 100), epoch < 1 ? 0.001 : 0.01) << epoch;
    EXPECT_EQ(sampled_beta(Start::online, epoch, 1e-4, 199, 100), 1e-4) << epoch;
    EXPECT_EQ(sampled_beta(Start::online, epoch, 0.01, 200, 100), 0.01) << epoch;
    EXPECT_EQ(sampled_beta(Start::random, epoch, 0.01, 50, 100), 0.01) << epoch;
  }
}

TEST(LdaSchedule, LessonsComeLast) {
  LdaSchedule schedule = schedule_of(job_of({{"learn_alpha", "2"}, {"learn_beta", "3"}, {"burn_in", "1"}}));
  for (const char* rounds : {"ooooT", "ooooT", "ooootPa", "ooootPb", "ooootPa", "ooooT", "ooootPab"})
    EXPECT_EQ(epoch_of(schedule), rounds);
}

TEST(LdaSchedule, ContinuesFromItsState) {
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
