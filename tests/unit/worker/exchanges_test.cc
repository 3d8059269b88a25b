#include "worker/exchanges.h"

#include "rota/exchange/exchange_push.h"

namespace rota {
namespace {

constexpr ShardId kShard = 1;
constexpr std::uint32_t kRing = 0, kTwoSteps = 1, kNoSender = 2;

// Dataflows of three shards: a ring; two steps, the ring and then both others to shard 1; and one without a sender to
// shard 1.
std::vector<Routes> three_shards() {
  using OfShards = Routes::OfShards;
  const OfShards ring = {{1}, {2}, {0}}, back = {{2}, {0}, {1}};
  const OfShards to_one = {{1}, {}, {1}}, from_both = {{}, {0, 2}, {}};
  const OfShards past_one = {{2}, {}, {}}, from_first = {{}, {}, {0}};
  std::vector<Routes> routes(3);
  routes[kRing] = {{ring}, {back}};
  routes[kTwoSteps] = {{ring, to_one}, {back, from_both}};
  routes[kNoSender] = {{past_one}, {from_first}};
  return routes;
}

Task task(RoundId round, std::uint32_t dataflow) {
  Task task;
  task.round = round;
  task.shard = kShard;
  task.dataflow = dataflow;
  return task;
}
Task shared(RoundId round) {
  Task task;
  task.round = round;
  task.shared = true;
  return task;
}

Scattered message(RoundId round, std::uint32_t dataflow, std::uint32_t step, ShardId from) {
  Writer words;
  words.put_varint(round);
  return {round, dataflow, step, from, kShard, Bytes::from(words.take())};
}

std::vector<RoundId> rounds_in(const ShardExchanges::Due& due) {
  std::vector<RoundId> rounds;
  for (const Incoming& one : due.messages) rounds.push_back(Reader(one.bytes.view()).get_varint());
  return rounds;
}

class Exchanges : public testing::Test {
 protected:
  ShardExchanges with(ShardExchanges::Lag lag) const { return {kShard, lag, routes_}; }
  static ShardSteps steps(std::vector<Task> tasks) {
    ShardSteps steps;
    for (const Task& one : tasks) steps.add(one);
    return steps;
  }
  std::vector<Routes> routes_ = three_shards();
};

TEST_F(Exchanges, AnInvalidMessageIsRefused) {
  ShardExchanges all = with({});
  EXPECT_TRUE(all.arrive(message(1, kRing, 0, 0)));
  EXPECT_FALSE(all.arrive(message(1, kRing, 0, 0))) << "twice";
  EXPECT_FALSE(all.arrive(message(1, kRing, 0, 2))) << "no sender to this shard";
  EXPECT_FALSE(all.arrive(message(1, kRing, 1, 0))) << "no such step";
  EXPECT_FALSE(all.arrive(message(1, 3, 0, 0))) << "no such dataflow";
}

TEST_F(Exchanges, AllStepsAreGatheredBeforeTheNextRound) {
  ShardExchanges all = with({});
  const ShardSteps next = steps({task(2, kRing)});
  EXPECT_TRUE(all.may_begin(next.front()));
  ASSERT_TRUE(all.arrive(message(1, kTwoSteps, 1, 2))) << "a neighbour may be ahead";
  all.sent(task(1, kTwoSteps), 0);
  EXPECT_FALSE(all.has_due(next));
  EXPECT_FALSE(all.may_begin(next.front()));
  ASSERT_TRUE(all.arrive(message(1, kTwoSteps, 0, 0)));
  ASSERT_TRUE(all.has_due(next));
  EXPECT_TRUE(all.has_due(steps({}))) << "for any next step";
  ShardExchanges::Due due = all.take_due();
  EXPECT_EQ(due.step, 0U);
  EXPECT_EQ(due.next, 1U);
  ASSERT_EQ(due.messages.size(), 1U);
  EXPECT_EQ(due.messages[0].from, 0U);
  all.sent(due.task, 1);
  EXPECT_FALSE(all.has_due(next));
  ASSERT_TRUE(all.arrive(message(1, kTwoSteps, 1, 0)));
  due = all.take_due();
  EXPECT_EQ(due.messages.size(), 2U);
  EXPECT_EQ(due.next, std::nullopt);
  EXPECT_TRUE(all.settled());
  EXPECT_TRUE(all.may_begin(next.front()));
}

TEST_F(Exchanges, AShardWithoutSendersWaitsForNothing) {
  ShardExchanges all = with({});
  all.sent(task(1, kNoSender), 0);
  ASSERT_TRUE(all.has_due(steps({})));
  EXPECT_TRUE(all.take_due().messages.empty());
}

TEST_F(Exchanges, WithAStalenessARoundIsGatheredWhenItMustBe) {
  ShardExchanges all = with({.staleness = 1});
  all.sent(task(1, kRing), 0);
  ASSERT_TRUE(all.arrive(message(1, kRing, 0, 0)));
  EXPECT_FALSE(all.has_due(steps({}))) << "the next may be an exchange";
  EXPECT_FALSE(all.has_due(steps({task(2, kRing)})));
  EXPECT_TRUE(all.may_begin(steps({task(2, kRing)}).front()));
  EXPECT_TRUE(all.has_due(steps({shared(2)}))) << "before any other round";
  EXPECT_TRUE(all.has_due(steps({task(2, kTwoSteps)}))) << "and one of several steps";
  all.sent(task(2, kRing), 0);
  EXPECT_FALSE(all.may_begin(steps({task(3, kRing)}).front()));
  ASSERT_TRUE(all.has_due(steps({task(3, kRing)})));
  EXPECT_EQ(rounds_in(all.take_due()), std::vector<RoundId>{1});
  EXPECT_TRUE(all.may_begin(steps({task(3, kRing)}).front()));
  EXPECT_FALSE(all.has_due(steps({shared(3)}))) << "its message has not come";
}

TEST_F(Exchanges, AnAsynchronousRunGathersTheNewestOnce) {
  ShardExchanges all = with({.asynchronous = true});
  EXPECT_TRUE(all.take_newest(task(1, kRing))->messages.empty());
  EXPECT_FALSE(all.take_newest(task(1, kTwoSteps)).has_value()) << "all of several steps must be gathered";
  all.sent(task(1, kRing), 0);
  EXPECT_TRUE(all.may_begin(steps({task(2, kRing)}).front()));
  ASSERT_TRUE(all.arrive(message(2, kRing, 0, 0)));
  ASSERT_TRUE(all.arrive(message(1, kRing, 0, 0))) << "the older one arrives later";
  EXPECT_EQ(rounds_in(*all.take_newest(task(2, kRing))), std::vector<RoundId>{2});
  EXPECT_TRUE(all.take_newest(task(2, kRing))->messages.empty());
  all.sent(task(2, kRing), 0);
  all.sent(task(3, kRing), 0);
  EXPECT_FALSE(all.has_due(steps({shared(4)}))) << "that of round 3 has not arrived";
  ASSERT_TRUE(all.arrive(message(3, kRing, 0, 0)));
  EXPECT_FALSE(all.has_due(steps({})));
  ASSERT_TRUE(all.has_due(steps({shared(4)})));
  const ShardExchanges::Due due = all.take_due();
  EXPECT_EQ(due.task.round, 3U);
  EXPECT_EQ(rounds_in(due), std::vector<RoundId>{3});
  EXPECT_TRUE(all.settled());
}

}  // namespace
}  // namespace rota
