#include "coordinator/roster.h"

#include "core/base/version.h"

namespace rota::roster {
namespace {

constexpr NodeId kWorker{Role::worker, 0}, kOther{Role::worker, 1}, kScheduler{Role::scheduler, 0};
const std::vector<NodeId> kAll = {kScheduler, kWorker, kOther};

ShardHosts both() {
  const std::uint32_t workers[] = {0, 1};
  return ShardHosts::even(workers, 4);
}

RunPlan plan() {
  RunPlan plan;
  plan.hash = {1, 2};
  plan.workers = 2;
  plan.partitions = 3;
  plan.shards = 4;
  plan.peer_timeout = 30 * kSecond;
  plan.disconnect_grace = 3 * kSecond;
  return plan;
}

Hello hello() {
  return {"ipc://here", kVersion, {1, 2}, 55, 77, "node5"};
}

struct MembersOf {
  explicit MembersOf(RunPlan plan) : run(std::move(plan)), workforce(run), roster(run, workforce) {}

  RunPlan run;
  Workforce workforce;
  Roster roster;
};
class Members : public ::testing::Test, protected MembersOf {
 protected:
  Members() : MembersOf(plan()) {}
  void join_all() {
    for (const NodeId process : kAll) roster.join(process, hello(), 0);
  }
};

TEST_F(Members, IsCompleteWhenAllAreThere) {
  EXPECT_EQ(roster.missing(), "scheduler-0, worker-0, worker-1");
  for (const NodeId process : kAll) {
    EXPECT_FALSE(roster.complete());
    EXPECT_FALSE(roster.contains(process));
    roster.join(process, hello(), 0);
    EXPECT_TRUE(roster.contains(process));
  }
  EXPECT_TRUE(roster.complete());
  EXPECT_EQ(roster.missing(), "");
}

TEST_F(Members, RefusalsHaveAReason) {
  RunPlan fixed = plan();
  fixed.on_loss = OnLoss::stop;  // otherwise workers may join
  MembersOf of_fixed(fixed);
  const auto why = [&](NodeId process, const Hello& with, ExitCode code) {
    const Status status = of_fixed.roster.check(process, with);
    EXPECT_EQ(status.code(), code);
    EXPECT_FALSE(of_fixed.roster.complete());
    return status.what();
  };
  EXPECT_EQ(why({Role::worker, 2}, hello(), ExitCode::usage), "worker-2 is not part of this run");
  EXPECT_EQ(why({Role::kvstore, 0}, hello(), ExitCode::usage), "kvstore-0 is not part of this run");
  EXPECT_TRUE(MembersOf(plan()).roster.check({Role::worker, 2}, hello()).ok());
  Hello other = hello();
  other.version = "0.0";
  EXPECT_EQ(why(kWorker, other, ExitCode::wrong_version),
            std::string("worker-0 is Rota 0.0, the coordinator is Rota ") + kVersion);
  other = hello();
  other.job = {1, 3};
  EXPECT_EQ(why(kWorker, other, ExitCode::usage), "worker-0 was started with other options than the coordinator");
  EXPECT_FALSE(of_fixed.roster.contains(kWorker));
}

// Workers of two machines had plugins of two builds, and the model was that of neither.
TEST_F(Members, AnotherPluginFileIsRefusedAndBothAreNamed) {
  Hello first = hello(), other = hello(), none = hello();
  first.plugin = Hash128{1, 2};
  other.plugin = Hash128{1, 3};
  other.host = "node6";
  EXPECT_TRUE(roster.check(kWorker, first).ok());
  roster.join(kWorker, first, 0);
  const Status refused = roster.check(kOther, other);
  EXPECT_EQ(refused.code(), ExitCode::wrong_version);
  EXPECT_EQ(refused.what(), "worker-1 on node6 has opened another plugin file (" + other.plugin->hex() +
                                ") than worker-0 (pid 77 on node5) has (" + first.plugin->hex() +
                                "): the same must be on all machines");
  EXPECT_TRUE(roster.check(kOther, first).ok());
  EXPECT_TRUE(roster.check(kOther, none).ok()) << "a process without a plugin file is not compared";
  EXPECT_TRUE(roster.check(kWorker, other).ok()) << "it replaces the only one with the first";
  roster.leave(kWorker);
  EXPECT_TRUE(roster.check(kOther, other).ok()) << "a member that left is not compared";
}

// Under two coordinators two starts of a process joined in turn, and its links to others did not match.
TEST_F(Members, ARestartedCoordinatorGivesNewIncarnations) {
  RunPlan later = plan();
  later.era = 4;
  MembersOf one(plan()), other(later);
  Roster &first = one.roster, &second = other.roster;
  for (Roster* each : {&first, &second}) each->join(kWorker, hello(), 0);
  const std::uint64_t before = first.welcome(both()).peers[0].incarnation;
  const std::uint64_t after = second.welcome(both()).peers[0].incarnation;
  EXPECT_NE(before, after);
  EXPECT_NE(after, 0U);
  EXPECT_EQ(second.welcome(both()).peers[0].incarnation, after) << "the same in all its eras";
}

TEST_F(Members, PartitionsAreSpreadOverTheirHosts) {
  EXPECT_EQ(MembersOf(plan()).roster.welcome(both()).partition_hosts,
            (std::vector<NodeId>{kWorker, {Role::worker, 1}, kWorker}));
  RunPlan with_stores = plan();
  with_stores.stores = 1;
  const NodeId store{Role::kvstore, 0};
  EXPECT_EQ(MembersOf(with_stores).roster.welcome(both()).partition_hosts, (std::vector<NodeId>{store, store, store}));
  EXPECT_EQ(MembersOf(with_stores).roster.missing(), "scheduler-0, worker-0, worker-1, kvstore-0");
}

TEST_F(Members, ABrokenConnectionThatStaysBrokenIsALoss) {
  roster.join(kWorker, hello(), 0);
  roster.disconnected(kWorker, kSecond);
  roster.disconnected({Role::worker, 9}, kSecond);
  EXPECT_FALSE(roster.lost(4 * kSecond - 1).has_value());
  EXPECT_EQ(roster.lost(4 * kSecond)->what,
            "worker-0 (pid 77 on node5) was lost: its connection broke and it did not come back");
  roster.confirm_alive(kWorker, 0, 2 * kSecond);
  EXPECT_FALSE(roster.lost(4 * kSecond).has_value()) << "it came back";
}

// Each of these messages counted as a reconnection, and the loss was detected after the timeout.
TEST_F(Members, LateMessagesOfADeadProcessDoNotBringItBack) {
  roster.join(kWorker, hello(), 0);
  roster.disconnected(kWorker, 10 * kSecond);
  roster.confirm_alive(kWorker, 0, 10 * kSecond + 100 * kMillisecond);
  roster.confirm_alive(kWorker, 0, 10 * kSecond + 200 * kMillisecond);
  EXPECT_FALSE(roster.lost(13 * kSecond).has_value());
  EXPECT_TRUE(roster.lost(13 * kSecond + 200 * kMillisecond).has_value());
}

TEST_F(Members, AMessageAfterTheGraceBringsAMemberBack) {
  roster.join(kWorker, hello(), 0);
  roster.disconnected(kWorker, 10 * kSecond);
  for (Nanoseconds now = 11; now <= 14; ++now) {
    roster.confirm_alive(kWorker, 0, now * kSecond);
    EXPECT_FALSE(roster.lost(now * kSecond).has_value());
  }
  EXPECT_FALSE(roster.lost(40 * kSecond).has_value()) << "the whole timeout applies again";
  EXPECT_TRUE(roster.lost(44 * kSecond).has_value());
}

TEST_F(Members, SilenceDuringItsOwnPauseDoesNotCount) {
  join_all();
  roster.disconnected(kScheduler, kSecond);
  roster.discount_pause(60 * kSecond);
  EXPECT_FALSE(roster.lost(60 * kSecond).has_value());
  EXPECT_FALSE(roster.lost(62 * kSecond).has_value());
  EXPECT_EQ(roster.lost(63 * kSecond)->process, kScheduler);
  roster.confirm_alive(kScheduler, 0, 64 * kSecond);
  EXPECT_FALSE(roster.lost(89 * kSecond).has_value());
  EXPECT_TRUE(roster.lost(90 * kSecond).has_value());
}

TEST_F(Members, AMemberThatLeftIsMissingUntilItReturns) {
  join_all();
  roster.leave(kWorker);
  roster.leave(kScheduler);
  EXPECT_FALSE(roster.complete());
  EXPECT_EQ(roster.missing(), "scheduler-0, worker-0");
  ASSERT_TRUE(roster.lost(30 * kSecond).has_value());
  EXPECT_EQ(roster.lost(30 * kSecond)->process, (NodeId{Role::worker, 1})) << "a member is lost once";
  EXPECT_TRUE(roster.confirm_alive(kWorker, 0, kSecond));
  EXPECT_FALSE(roster.confirm_alive(kWorker, 0, kSecond));
  EXPECT_FALSE(roster.complete());
  roster.join(kScheduler, hello(), kSecond);
  EXPECT_TRUE(roster.complete());
}

TEST_F(Members, KeepsThePeakOfMemory) {
  roster.join(kWorker, hello(), 0);
  roster.confirm_alive(kWorker, 500, 1);
  roster.confirm_alive(kWorker, 300, 2);
  roster.confirm_alive({Role::worker, 9}, 900, 2);
  using Memory = std::vector<std::pair<std::string, std::uint64_t>>;
  EXPECT_EQ(roster.peak_memory(), (Memory{{"worker-0", 500}}));
  EXPECT_EQ(roster.describe({Role::worker, 1}), "worker-1");
}

// ---- processes that live and make no progress ----

Beat busy(std::uint64_t progress, std::uint64_t era = 1) {
  Beat beat;
  beat.progress = progress;
  beat.work_in_flight = 1;
  beat.era = era;
  return beat;
}

// All members send heartbeats all the time.
std::optional<Roster::Loss> stuck_after(Roster& roster, Nanoseconds now, bool trains = true, std::uint64_t era = 1) {
  for (const NodeId process : roster.members()) roster.confirm_alive(process, 0, now);
  EXPECT_FALSE(roster.lost(now).has_value());
  return roster.stuck(era, both(), trains, now);
}

TEST_F(Members, WorkThatDoesNotEndIsALoss) {
  roster.join(kWorker, hello(), 0);
  roster.record_beat(kWorker, busy(7), true, kSecond);
  for (Nanoseconds now = 2; now <= 301; now += 1) roster.record_beat(kWorker, busy(7), true, now * kSecond);
  EXPECT_FALSE(stuck_after(roster, 301 * kSecond - 1).has_value());
  const auto loss = stuck_after(roster, 301 * kSecond);
  ASSERT_TRUE(loss.has_value());
  EXPECT_EQ(loss->what,
            "worker-0 (pid 77 on node5) was lost: it lives, and its work has made no progress for 300 s (the limit "
            "grows with --peer_timeout_seconds)");
  EXPECT_TRUE(loss->lives);
}

TEST_F(Members, AnIdleMemberIsNotStuck) {
  roster.join(kWorker, hello(), 0);
  for (Nanoseconds now = 1; now <= 1000; ++now)
    roster.record_beat(kWorker, Beat{7, 0, 0, 1, {}, 0}, true, now * kSecond);
  EXPECT_FALSE(stuck_after(roster, 1000 * kSecond).has_value());
}

TEST_F(Members, WorkThatTookLongMayTakeTenTimesAsLong) {
  roster.join(kWorker, hello(), 0);
  roster.record_beat(kWorker, busy(7), true, 0);
  roster.record_beat(kWorker, busy(8), true, 100 * kSecond);
  EXPECT_FALSE(stuck_after(roster, 1099 * kSecond).has_value());
  EXPECT_TRUE(stuck_after(roster, 1100 * kSecond).has_value());
}

TEST_F(Members, LoadingMayTakeAnHourButTheEraHasToBegin) {
  roster.join(kWorker, hello(), 0);
  roster.record_beat(kWorker, busy(7, 2), false, 0);
  EXPECT_FALSE(stuck_after(roster, 3599 * kSecond, false, 2).has_value());
  EXPECT_TRUE(stuck_after(roster, 3599 * kSecond, false, 3).has_value()) << "work of the era before does not end";
  EXPECT_TRUE(stuck_after(roster, 3600 * kSecond, false, 2).has_value());
}

// Its hung hook had the hour of a loading, as it is not expected in the next era.
TEST_F(Members, AHostOfShardsHasTheTimeoutOfWork) {
  const NodeId third{Role::worker, 2};
  roster.join(kOther, hello(), 0);
  roster.join(third, hello(), 0);
  workforce.replace(1);
  roster.record_beat(kOther, busy(7), true, 0);
  roster.record_beat(third, busy(7), true, 0);
  EXPECT_FALSE(stuck_after(roster, 299 * kSecond).has_value());
  ASSERT_TRUE(stuck_after(roster, 300 * kSecond).has_value());
  EXPECT_EQ(stuck_after(roster, 300 * kSecond)->process, kOther);
  roster.forget(kOther);
  EXPECT_FALSE(stuck_after(roster, 3599 * kSecond).has_value()) << "it hosts nothing, and reads ahead";
  EXPECT_TRUE(stuck_after(roster, 3600 * kSecond).has_value());
}

Beat no_answer(NodeId to, Nanoseconds span) {
  return {7, 0, 0, 1, to, static_cast<std::uint64_t>(span)};
}

TEST_F(Members, OfTwoDisconnectedMembersOneIsLost) {
  const NodeId other{Role::worker, 1};
  join_all();
  // All send heartbeats all the time; the first two report a peer that does not answer.
  const auto pass = [&](Nanoseconds from, Nanoseconds to, bool both) {
    for (Nanoseconds s = from; s <= to; ++s) {
      roster.record_beat(kWorker, no_answer(other, s * kSecond), true, s * kSecond);
      roster.record_beat(other, both ? no_answer(kWorker, s * kSecond) : Beat{7, 0, 0, 1, {}, 0}, true, s * kSecond);
      roster.record_beat(kScheduler, both ? no_answer(kWorker, s * kSecond) : Beat{7, 0, 0, 1, {}, 0}, true,
                         s * kSecond);
    }
  };
  pass(1, 44, false);
  EXPECT_FALSE(stuck_after(roster, 44 * kSecond).has_value());
  pass(45, 45, false);
  const auto loss = stuck_after(roster, 45 * kSecond);
  ASSERT_TRUE(loss.has_value());
  EXPECT_EQ(loss->what,
            "worker-1 (pid 77 on node5) was lost: worker-0 does not reach worker-1, which has not answered for 45 s");
  pass(46, 50, true);
  EXPECT_EQ(stuck_after(roster, 50 * kSecond)->process, kWorker) << "two report it";
  roster.begin_era(50 * kSecond);
  pass(51, 94, true);
  EXPECT_FALSE(stuck_after(roster, 94 * kSecond).has_value()) << "reports of the era before do not count";
}

TEST_F(Members, AMemberInALongHookIsNotCutOff) {
  const NodeId other{Role::worker, 1};
  join_all();
  roster.record_beat(other, Beat{7, 0, 0, 1, {}, 0}, true, kSecond);
  for (Nanoseconds s = 2; s <= 100; ++s) {
    roster.record_beat(kWorker, no_answer(other, s * kSecond), true, s * kSecond);
    EXPECT_FALSE(stuck_after(roster, s * kSecond).has_value()) << s;
  }
  roster.record_beat(other, Beat{8, 0, 0, 1, {}, 0}, true, 101 * kSecond);
  EXPECT_FALSE(stuck_after(roster, 101 * kSecond).has_value()) << "the report is older than its return";
}

TEST_F(Members, ADismissedMemberDoesNotReturn) {
  roster.join(kWorker, hello(), 0);
  roster.dismiss(kWorker);
  EXPECT_FALSE(roster.confirm_alive(kWorker, 0, kSecond));
  EXPECT_NE(roster.missing().find("worker-0"), std::string::npos);
  roster.join(kWorker, hello(), 0);
  EXPECT_EQ(roster.missing().find("worker-0"), std::string::npos);
}

}  // namespace
}  // namespace rota::roster
