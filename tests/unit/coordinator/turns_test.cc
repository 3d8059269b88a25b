#include "coordinator/dispatch.h"

namespace rota {
namespace {

// A round that is identified by its one key.
Round named(Key key, bool ends_epoch = false, bool ends_job = false) {
  Round round;
  round.shared = {key};
  round.ends_epoch = ends_epoch;
  round.ends_job = ends_job;
  return round;
}

Rounds rounds_of(RoundId first, std::vector<Round> rounds, std::optional<Feedback> feedback = {}) {
  return {first, std::move(rounds), feedback, {}};
}

// The keys of the rounds whose turn has come; one bar ends an epoch, two bars the job.
std::string taken(Turns& turns) {
  std::string text;
  while (const auto turn = turns.take()) {
    text += std::to_string(turn->round.shared.at(0)) + " ";
    if (turn->round.ends_epoch) text += turn->round.ends_job ? "|| " : "| ";
  }
  return text;
}

TEST(Turns, OneRoundOfEachInTurn) {
  Turns turns(3);
  turns.begin(1);
  ASSERT_TRUE(turns.add(1, rounds_of(1, {named(11), named(12), named(13)}, Feedback::changes)));
  EXPECT_FALSE(turns.take().has_value()) << "scheduler 0 comes first";
  ASSERT_TRUE(turns.add(0, rounds_of(1, {named(1), named(2)})));
  EXPECT_EQ(taken(turns), "1 11 ");
  ASSERT_TRUE(turns.add(2, rounds_of(1, {named(21), named(22)}, Feedback::changes)));
  const auto third = turns.take();
  ASSERT_TRUE(third.has_value());
  EXPECT_EQ(third->scheduler, 2U);
  EXPECT_EQ(third->own, 1U);
  const auto fourth = turns.take();
  ASSERT_TRUE(fourth.has_value());
  EXPECT_EQ(fourth->own, 2U) << "each counts its own";
  EXPECT_FALSE(fourth->feedback.has_value());
  EXPECT_EQ(taken(turns), "12 22 ");
}

TEST(Turns, FinishedSchedulersAreSkippedUntilAllHaveFinished) {
  Turns turns(2);
  turns.begin(1);
  ASSERT_TRUE(turns.add(0, rounds_of(1, {named(1, true), named(2), named(3, true)})));
  ASSERT_TRUE(turns.add(1, rounds_of(1, {named(11), named(12), named(13, true), named(14, true)})));
  EXPECT_EQ(taken(turns), "1 11 12 13 | 2 14 3 | ");
}

// Otherwise it would be the turn of the scheduler with fewer rounds in the epoch before.
TEST(Turns, EveryEpochBeginsWithTheFirstScheduler) {
  Turns turns(2);
  turns.begin(1);
  ASSERT_TRUE(turns.add(1, rounds_of(1, {named(11, true), named(12, true)})));
  ASSERT_TRUE(turns.add(0, rounds_of(1, {named(1), named(2, true), named(3, true)})));
  EXPECT_EQ(taken(turns), "1 11 2 | 3 12 | ");
}

TEST(Turns, TheJobEndsIfAllSchedulersEndItInOneEpoch) {
  Turns turns(2);
  turns.begin(1);
  ASSERT_TRUE(turns.add(0, rounds_of(1, {named(1, true, true), named(2, true), named(3, true, true)})));
  ASSERT_TRUE(turns.add(1, rounds_of(1, {named(11, true), named(12, true, true), named(13, true, true)})));
  EXPECT_EQ(taken(turns), "1 11 | 2 12 | 3 13 || ");
}

TEST(Turns, RoundsThatDoNotFollowAreRefused) {
  Turns turns(2);
  turns.begin(5);
  EXPECT_FALSE(turns.add(0, rounds_of(1, {named(1)})));
  EXPECT_FALSE(turns.add(2, rounds_of(5, {named(1)}))) << "no such scheduler";
  ASSERT_TRUE(turns.add(0, rounds_of(5, {named(1), named(2)})));
  EXPECT_FALSE(turns.add(0, rounds_of(6, {named(3)})));
  EXPECT_TRUE(turns.add(0, rounds_of(7, {}))) << "figures alone";
  EXPECT_TRUE(turns.add(0, rounds_of(7, {named(3)})));
  EXPECT_TRUE(turns.add(1, rounds_of(5, {named(11)})));
}

TEST(Turns, TheSequenceDoesNotDependOnSpeed) {
  // Three schedulers with epochs of different lengths.
  std::vector<std::vector<Round>> all(3);
  for (std::uint32_t s = 0; s < 3; ++s)
    for (Key i = 0; i < 12; ++i) all[s].push_back(named(100 * s + i, i % (2 * s + 2) == 1 || i == 11));
  std::string expected;
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    Turns turns(3);
    turns.begin(1);
    std::vector<RoundId> next(3, 1);
    std::string text;
    while (next != std::vector<RoundId>(3, 13)) {
      const std::uint32_t s = static_cast<std::uint32_t>(random() % 3);
      std::vector<Round> some;
      const RoundId first = next[s];
      for (std::uint64_t left = random() % 4; left > 0 && next[s] <= 12; --left) some.push_back(all[s][next[s]++ - 1]);
      ASSERT_TRUE(turns.add(s, rounds_of(first, some)));
      text += taken(turns);
    }
    if (expected.empty()) expected = text;
    EXPECT_EQ(text, expected) << seed;
  }
  EXPECT_NE(expected.find("|"), std::string::npos) << expected;
}

}  // namespace
}  // namespace rota
