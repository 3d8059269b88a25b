#include "worker/leases.h"

#include "rota/dense_slice.h"

namespace rota {
namespace {

using Rows = DenseSlice<double>;

Bytes some_bytes() {
  return Bytes::from({std::byte{1}, std::byte{2}});
}

// Shards below 2 are this worker's.
bool here(ShardId shard) {
  return shard < 2;
}

TEST(Leases, ASliceWaitsForItsDestination) {
  Leases leases;
  leases.begin(4, std::make_unique<Rows>(1, 1), {});
  EXPECT_FALSE(leases.ready(4, 1));
  EXPECT_FALSE(leases.move_on(4, here).has_value()) << "it has no destination";
  ASSERT_TRUE(leases.set_next({4, 0, 1, 0}));
  EXPECT_FALSE(leases.move_on(4, here).has_value()) << "it stays in this worker";
  EXPECT_TRUE(leases.ready(4, 1));
  EXPECT_FALSE(leases.ready(4, 2)) << "for another round";
  EXPECT_FALSE(leases.quiet());
}

TEST(Leases, ASliceInUseDoesNotMove) {
  Leases leases;
  leases.begin(4, std::make_unique<Rows>(1, 1), {});
  ASSERT_TRUE(leases.set_next({4, 0, 1, 0}));
  ASSERT_TRUE(leases.set_next({4, 1, 3, 5}));
  leases.move_on(4, here);
  HeldSlice& held = leases.use(4);
  EXPECT_TRUE(held.in_use);
  EXPECT_FALSE(leases.ready(4, 1));
  EXPECT_FALSE(leases.move_on(4, here).has_value());
  ASSERT_NE(leases.next_of(4, 1), nullptr);
  EXPECT_EQ(leases.next_of(4, 1)->shard, 5U);
  EXPECT_EQ(leases.next_of(4, 3), nullptr);
  leases.release(4);
  auto departure = leases.move_on(4, here);
  ASSERT_TRUE(departure.has_value());
  EXPECT_EQ(departure->handover.to, 3U);
  EXPECT_EQ(departure->handover.shard, 5U);
  EXPECT_NE(departure->slice.rows, nullptr);
  EXPECT_TRUE(leases.held_ids().empty()) << "it is held no longer";
  EXPECT_TRUE(leases.quiet());
}

TEST(Leases, ASecondHolderIsSeen) {
  Leases leases;
  ASSERT_TRUE(leases.arrive(7, 9, some_bytes()));
  EXPECT_FALSE(leases.arrive(7, 10, some_bytes()));
  leases.begin(8, nullptr, some_bytes());
  EXPECT_FALSE(leases.arrive(8, 1, some_bytes()));
  EXPECT_TRUE(leases.ready(7, 9)) << "the first is unchanged";
}

TEST(Leases, ASliceHasOneDestinationOnly) {
  Leases leases;
  EXPECT_TRUE(leases.set_next({4, 0, 1, 0}));
  EXPECT_FALSE(leases.set_next({4, 0, 1, 0}));
  EXPECT_FALSE(leases.set_next({4, 0, 2, 1}));
  EXPECT_TRUE(leases.set_next({4, 1, 2, 1})) << "after another round";
}

TEST(Leases, ADestinationMayArriveBeforeTheSlice) {
  Leases leases;
  ASSERT_TRUE(leases.set_next({7, 9, 12, 3}));
  EXPECT_FALSE(leases.move_on(7, here).has_value());
  ASSERT_TRUE(leases.arrive(7, 9, some_bytes()));
  EXPECT_FALSE(leases.move_on(7, here).has_value()) << "its task here comes first";
  leases.use(7);
  leases.release(7);
  const auto departure = leases.move_on(7, here);
  ASSERT_TRUE(departure.has_value());
  EXPECT_EQ(departure->handover.to, 12U);
  EXPECT_TRUE(leases.arrive(7, 20, some_bytes())) << "it may come again";
}

}  // namespace
}  // namespace rota
