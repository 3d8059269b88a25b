// tests/unit/worker/refreshing_test.cc
#include "worker/refreshing.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace rota {
namespace {

class HearingPush final : public Push {
 public:
  std::uint64_t items() const override { return 1; }
  void refresh(const Commit& commit) override {
    heard.push_back(commit.round);
    if (commit.round == refused) throw std::runtime_error("no");
    for (const Delta& delta : commit.deltas) sum += delta.change[0];
  }
  std::vector<RoundId> heard;
  RoundId refused = 0;
  double sum = 0;
};

CommitBacklog::Round round_of(RoundId number, double change) {
  RoundDeltas round;
  round.rows.round = number;
  round.rows.keys = {5};
  round.width = 1;
  round.before = {1};
  round.values = {1 + change};
  round.changes = {change};
  return std::make_shared<const RoundDeltas>(std::move(round));
}

TEST(Refreshing, TellsTheCommitsInTheirOrder) {
  HearingPush push;
  EXPECT_TRUE(Refreshing().empty());
  const Refreshing commits{{round_of(7, 2), round_of(8, 0.5)}};
  ASSERT_TRUE(commits.run("hearing", "shard 3", push).ok());
  EXPECT_EQ(push.heard, (std::vector<RoundId>{7, 8}));
  EXPECT_EQ(push.sum, 2.5);
}

TEST(Refreshing, OneThatThrowsIsNamedAndIsTheLast) {
  HearingPush push;
  push.refused = 7;
  const Status status = Refreshing{{round_of(7, 2), round_of(8, 0.5)}}.run("hearing", "shard 3", push);
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_NE(status.what().find("Push::refresh, round 7, shard 3"), std::string::npos) << status.what();
  EXPECT_EQ(push.heard, (std::vector<RoundId>{7}));
}

}  // namespace
}  // namespace rota
