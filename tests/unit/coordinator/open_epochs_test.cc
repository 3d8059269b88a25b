#include "coordinator/training.h"

namespace rota {
namespace {

EpochDone done_of(Epoch epoch, std::uint64_t items) {
  EpochDone done;
  done.epoch = epoch;
  done.items = items;
  return done;
}

TEST(OpenEpochs, AnEpochEndsWithTheLastWorkerAndScheduler) {
  OpenEpochs epochs(2, 2);
  epochs.begin(4);
  EXPECT_FALSE(epochs.add(0, done_of(4, 1))) << "no round of it is out";
  epochs.given_out(4);
  epochs.given_out(5);
  EXPECT_TRUE(epochs.add(0, done_of(4, 10)));
  EXPECT_FALSE(epochs.add(0, done_of(4, 10))) << "twice";
  EXPECT_TRUE(epochs.add(1, done_of(4, 20)));
  epochs.add(0, EpochFigures{4, {{"drawn", 3}}, true, true});
  EXPECT_FALSE(epochs.next_is_over());
  epochs.add(1, EpochFigures{4, {{"drawn", 5}}, false, false});
  ASSERT_TRUE(epochs.next_is_over());
  const OpenEpochs::Over over = epochs.take();
  const EpochRecord& record = over.record;
  EXPECT_FALSE(over.ends_job) << "not all say so";
  EXPECT_EQ(record.epoch, 4U);
  EXPECT_EQ(record.items, 30U);
  EXPECT_EQ(record.figures,
            (std::vector<std::pair<std::string, double>>{{"scheduler-0.drawn", 3}, {"scheduler-1.drawn", 5}}));
  EXPECT_EQ(record.converged, false) << "not all say so";
  EXPECT_EQ(epochs.next(), 5U);
  EXPECT_FALSE(epochs.next_is_over());
}

TEST(OpenEpochs, TimesAndTrafficAddUpOverTheWorkers) {
  OpenEpochs epochs(2, 1);
  epochs.begin(1);
  epochs.given_out(1);
  EpochDone one = done_of(1, 10), two = done_of(1, 20);
  one.compute_ns = 3'000'000'000;
  one.wait_ns = 1'000'000'000;
  one.bytes_sent = 100;
  one.slice_bytes = 60;
  one.exchange_bytes = 7;
  two.compute_ns = 1'000'000'000;
  two.wire_ns = 250'000'000;
  two.memory = 4000;
  EXPECT_TRUE(epochs.add(1, one));
  EXPECT_TRUE(epochs.add(0, two));
  epochs.add(0, EpochFigures{1, {}, {}, false});
  const EpochRecord record = epochs.take().record;
  EXPECT_EQ(record.items, 30U);
  EXPECT_EQ(record.bytes_sent, 100U);
  EXPECT_EQ(record.slice_bytes, 60U);
  EXPECT_EQ(record.exchange_bytes, 7U);
  ASSERT_EQ(record.workers.size(), 2U);
  EXPECT_DOUBLE_EQ(record.workers[1].compute_seconds, 3);
  EXPECT_DOUBLE_EQ(record.workers[0].wire_seconds, 0.25);
  EXPECT_EQ(record.workers[0].memory, 4000U);
  EXPECT_EQ(record.slowest, "worker-1");
  EXPECT_DOUBLE_EQ(record.waiting_share, 0.25);
}

}  // namespace
}  // namespace rota
