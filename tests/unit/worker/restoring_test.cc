#include "worker/restoring.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

TEST(Restoring, AsksForFewAtATimeUntilAllIsThere) {
  Restoring restoring(2, 2);
  EXPECT_TRUE(restoring.done());
  for (std::uint64_t shard = 0; shard < 3; ++shard) restoring.want(Object::shard, shard);
  EXPECT_FALSE(restoring.done());
  EXPECT_FALSE(restoring.waits());

  const Outbox::World world;
  Outbox out({Role::worker, 0}, world);
  restoring.ask(out);
  ASSERT_EQ(out.sent.size(), 2U);
  EXPECT_EQ(out.sent[0].to, (NodeId{Role::partition, 0}));
  EXPECT_EQ(out.sent[1].to, (NodeId{Role::partition, 1}));
  EXPECT_TRUE(restoring.waits());
  restoring.restored(out);
  ASSERT_EQ(out.sent.size(), 3U);
  EXPECT_EQ(std::get<Fetch>(out.sent[2].message).id, 2U);
  restoring.restored(out);
  EXPECT_FALSE(restoring.done());
  restoring.restored(out);
  EXPECT_TRUE(restoring.done());
  EXPECT_FALSE(restoring.waits());
  EXPECT_EQ(out.sent.size(), 3U);
}

}  // namespace
}  // namespace rota
