#include "worker/epoch_tally.h"

namespace rota::epoch_tally {
namespace {

constexpr NodeId kWorker{Role::worker, 0};

TEST(EpochTallies, AWorkersEpochEndsWithItsLastShard) {
  EpochTallies tallies(2, 4);
  const Outbox::World begin{10 * kSecond, 100, 0, [] { return Outbox::Usage{7 * kSecond, 4000, 6000}; }};
  const Outbox::World end{12 * kSecond, 1100, 0, [] { return Outbox::Usage{7 * kSecond + kSecond / 2, 3000, 5000}; }};
  const Outbox first(kWorker, begin), last(kWorker, end);
  tallies.begin(1, first);
  tallies.add_work(1, {30, kSecond, kSecond / 8}, first);
  tallies.add_work(1, {12, 2 * kSecond, kSecond / 8}, last);
  tallies.add_slice(700, kSecond / 4);
  tallies.add_exchange_bytes(1, 30, first);
  tallies.add_exchange_bytes(1, 12, last);
  EXPECT_FALSE(tallies.shard_done(1, last));
  const EpochDone done = tallies.shard_done(1, last).value();
  EXPECT_EQ(done.epoch, 1U);
  EXPECT_EQ(done.items, 42U);
  EXPECT_EQ(done.compute_ns, static_cast<std::uint64_t>(3 * kSecond));
  EXPECT_EQ(done.wire_ns, static_cast<std::uint64_t>(kSecond)) << "a half by compute threads";
  EXPECT_EQ(done.wait_ns, static_cast<std::uint64_t>(4 * kSecond)) << "of four threads in two seconds";
  EXPECT_EQ(done.bytes_sent, 1000U);
  EXPECT_EQ(done.slice_bytes, 700U);
  EXPECT_EQ(done.exchange_bytes, 42U);
  EXPECT_EQ(done.memory, 3000U);
  EXPECT_EQ(done.peak_memory, 5000U);
}

TEST(EpochTallies, AnEpochGivenOutAheadBeginsWhenTheOneBeforeItEnds) {
  EpochTallies tallies(1, 1);
  const auto at = [](Nanoseconds seconds, std::uint64_t bytes) {
    return Outbox::World{seconds * kSecond, bytes, 0, [=] { return Outbox::Usage{seconds * kMillisecond, 0, 0}; }};
  };
  const Outbox::World at10 = at(10, 0), at12 = at(12, 50), at15 = at(15, 80);
  const Outbox begin(kWorker, at10), middle(kWorker, at12), end(kWorker, at15);
  tallies.begin(1, begin);
  tallies.begin(2, begin);
  EXPECT_TRUE(tallies.shard_done(1, middle));
  const EpochDone done = tallies.shard_done(2, end).value();
  EXPECT_EQ(done.wire_ns, static_cast<std::uint64_t>(3 * kMillisecond));
  EXPECT_EQ(done.wait_ns, static_cast<std::uint64_t>(3 * kSecond - 3 * kMillisecond));
  EXPECT_EQ(done.bytes_sent, 30U);
}

}  // namespace
}  // namespace rota::epoch_tally
