#include "rota/shards.h"

namespace rota {
namespace {

TEST(HostedShards, KeepTheirItemsInOrder) {
  const ShardId hosted[] = {2, 0};
  HostedShards<std::vector<std::uint64_t>> shards(3, hosted);
  for (std::uint64_t item = 0; item < 8; ++item)
    if (auto* const its = shards.of_item(item)) {
      EXPECT_EQ(its->size(), shards.number_in_shard(item));
      its->push_back(item);
    }
  EXPECT_EQ(shards.all(), (std::vector<std::vector<std::uint64_t>>{{2, 5}, {0, 3, 6}}));
  EXPECT_EQ(shards.of_shard(1), nullptr);
  EXPECT_EQ(shards.of_shard(2), &shards.all()[0]);
  EXPECT_TRUE(HostedShards<int>(3, {}).all().empty()) << "a worker without shards";
}

TEST(HostedShards, CountTheItemsOfAShard) {
  for (std::uint32_t shards = 1; shards < 9; ++shards) {
    std::vector<std::uint64_t> counted(shards);
    for (std::uint64_t item = 0; item < 5; ++item) ++counted[item % shards];
    for (ShardId s = 0; s < shards; ++s) EXPECT_EQ(dealt_to(s, 5, shards), counted[s]) << s << " of " << shards;
  }
  EXPECT_EQ(dealt_to(7, 5, 8), 0U);
}

TEST(Cuts, AreEvenUpToOneItem) {
  EXPECT_EQ(cut_evenly(10, 4), (std::vector<std::uint64_t>{0, 2, 5, 7, 10}));
  EXPECT_EQ(cut_evenly(2, 4), (std::vector<std::uint64_t>{0, 0, 1, 1, 2}));
  EXPECT_EQ(cut_evenly(0, 2), (std::vector<std::uint64_t>{0, 0, 0}));
}

TEST(Cuts, GoByWork) {
  const std::uint64_t heavy_first[] = {6, 1, 1, 1, 1, 2};
  EXPECT_EQ(cut_by_work(heavy_first, 2), (std::vector<std::uint64_t>{0, 1, 6}));
  EXPECT_EQ(cut_by_work(heavy_first, 4), (std::vector<std::uint64_t>{0, 1, 1, 4, 6})) << "one item is two shards' work";
  EXPECT_EQ(cut_by_work({}, 3), (std::vector<std::uint64_t>{0, 0, 0, 0}));
  const std::uint64_t one[] = {5};
  EXPECT_EQ(cut_by_work(one, 3), (std::vector<std::uint64_t>{0, 1, 1, 1}));
}

// 65,536 shards of 3,430 documents took 12 GB before they were checked.
TEST(Shards, OfWhichMostHaveNoDataAreRefused) {
  EXPECT_NO_THROW(require_dealt(1, 256)) << "few empty shards are accepted";
  EXPECT_NO_THROW(require_dealt(500, 1000));
  EXPECT_THROW(require_dealt(499, 1000), UsageError);
  EXPECT_NO_THROW(require_dealt(1'000'000, 65'536));
  EXPECT_EQ(too_many_shards(3430, 65'536),
            "--shards=65536: 62106 of them have no data: the input is too small for this number of shards");
  EXPECT_NO_THROW(require_cut(cut_evenly(500, 1000)));
  EXPECT_THROW(require_cut(cut_evenly(499, 1000)), UsageError);
  EXPECT_NO_THROW(require_cut(cut_evenly(0, 8)));
}

}  // namespace
}  // namespace rota
