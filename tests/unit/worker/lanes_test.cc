#include "worker/lanes.h"

namespace rota {
namespace {

TEST(Lanes, AreRunsOfNeighboursForEachThread) {
  const Lanes lanes(20, 7, 2);
  EXPECT_EQ(lanes.begin(0), 20U);
  EXPECT_EQ(lanes.end(0), 23U);
  EXPECT_EQ(lanes.begin(1), 23U);
  EXPECT_EQ(lanes.end(1), 27U);
  for (const ShardId shard : {20U, 21U, 22U}) EXPECT_EQ(lanes.of(shard), 0U) << shard;
  for (const ShardId shard : {23U, 24U, 25U, 26U}) EXPECT_EQ(lanes.of(shard), 1U) << shard;
}

TEST(Lanes, AreAtMostOnePerShard) {
  const Lanes lanes(4, 2, 8);
  EXPECT_EQ(lanes.by_need().size(), 2U);
  EXPECT_EQ(lanes.of(4), 0U);
  EXPECT_EQ(lanes.of(5), 1U);
  EXPECT_EQ(Lanes(0, 0, 3).by_need().size(), 1U) << "a worker that hosts nothing";
}

TEST(Lanes, TheOneWithTheFewestTasksComesFirst) {
  using Order = std::vector<std::uint32_t>;
  Lanes lanes(0, 9, 3);
  EXPECT_EQ(lanes.by_need(), (Order{0, 1, 2}));
  lanes.begun(0);
  lanes.begun(1);
  lanes.begun(8);
  EXPECT_EQ(lanes.by_need(), (Order{1, 2, 0}));
  lanes.ended(1);
  lanes.ended(0);
  EXPECT_EQ(lanes.by_need(), (Order{0, 1, 2}));
}

// A visit is done by the calling thread, in its last lane if something waits there.
TEST(WaitingVisits, AThreadStaysInItsLane) {
  WaitingVisits visits;
  std::string done;
  const auto add = [&](std::uint32_t lane, char name) {
    visits.add(lane, [&done, name]() -> Continuation {
      done += name;
      return [](Outbox&) { return Status(); };
    });
  };
  add(1, 'a');
  visits.do_one();
  add(0, 'b');
  add(1, 'c');
  add(2, 'd');
  visits.do_one();
  EXPECT_EQ(done, "ac");
  std::thread([&] { visits.do_one(); }).join();  // new, and so in lane 0
  EXPECT_EQ(done, "acb");
  add(2, 'e');
  visits.do_one();  // nothing waits in lane 1: what has waited longest
  visits.do_one();
  EXPECT_EQ(done, "acbde");
}

TEST(Neighbours, AreCountedFromTheWorkersFirstShard) {
  Neighbours near(20);
  EXPECT_TRUE(near.has(20));
  EXPECT_TRUE(near.has(27));
  EXPECT_FALSE(near.has(28));
  near.go_on_with(37);
  EXPECT_FALSE(near.has(27));
  EXPECT_FALSE(near.has(35));
  EXPECT_TRUE(near.has(36));
  EXPECT_TRUE(near.has(43));
}

TEST(Neighbours, OthersAreCheckedAtEveryEighthVisit) {
  Neighbours near(0);
  EXPECT_TRUE(near.looks_at_others());
  for (int visit = 1; visit <= 20; ++visit) {
    near.go_on_with(3);
    EXPECT_EQ(near.looks_at_others(), visit % 8 == 0) << visit;
  }
  near.go_on_with(9);
  EXPECT_TRUE(near.looks_at_others()) << "they have changed";
}

TEST(Neighbours, GoBeforeVisitsElsewhereButNotFarAhead) {
  EXPECT_TRUE(Neighbours::go_first(5, 9, true));
  EXPECT_TRUE(Neighbours::go_first(9, 5, true));
  EXPECT_TRUE(Neighbours::go_first(4 + Neighbours::kAheadMost, 5, true));
  EXPECT_FALSE(Neighbours::go_first(5 + Neighbours::kAheadMost, 5, true));
}

}  // namespace
}  // namespace rota
