#include "worker/commit_backlog.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

RoundDeltas round_of(RoundId round) {
  RoundDeltas deltas;
  deltas.rows.round = round;
  return deltas;
}

std::vector<RoundId> rounds_of(const std::vector<CommitBacklog::Round>& rounds) {
  std::vector<RoundId> out;
  for (const auto& round : rounds) out.push_back(round->rows.round);
  return out;
}

TEST(CommitBacklog, CountsWhatHasComeAndForgetsWhatAllHaveSeen) {
  CommitBacklog backlog;
  for (RoundId round = 10; round < 15; ++round) backlog.add(round_of(round));
  EXPECT_EQ(backlog.come(), 5U);
  EXPECT_EQ(rounds_of(backlog.between(1, 3)), (std::vector<RoundId>{11, 12}));
  EXPECT_EQ(rounds_of(backlog.between(3, 9)), (std::vector<RoundId>{13, 14})) << "as far as they have come";
  backlog.forget_before(3);
  EXPECT_EQ(backlog.come(), 5U);
  EXPECT_EQ(rounds_of(backlog.from(3)), (std::vector<RoundId>{13, 14}));
  backlog.forget_before(9);
  EXPECT_EQ(backlog.come(), 5U);
  backlog.add(round_of(15));
  EXPECT_EQ(rounds_of(backlog.from(5)), (std::vector<RoundId>{15}));
}

}  // namespace
}  // namespace rota
