#include "core/rounds/sparse_rows.h"

namespace rota {
namespace {

Table dense(std::uint64_t keys, std::uint32_t part_width) {
  Table table{"all", Table::Kind::shared, keys, 1, part_width};
  table.dense = true;
  return table;
}

TEST(OpenScratch, HasWhatAMapWouldHavePushAfterPush) {
  std::mt19937_64 random(5);
  for (const std::uint64_t keys : {1U, 63U, 64U, 65U, 128U, 1000U})
    for (const std::uint32_t width : {0U, 1U, 3U}) {
      OpenScratch scratch(dense(keys, width));
      for (int push = 0; push < 20; ++push) {
        std::map<Key, std::vector<double>> expected;
        const std::uint64_t touches = push % 4 == 0 ? 4 * keys : random() % (keys + 1);
        const OpenParts parts = scratch.parts();
        for (std::uint64_t left = touches; left > 0; --left) {
          const Key key = push % 4 == 0 ? left % keys : random() % keys;
          auto& other = expected.try_emplace(key, width).first->second;
          const std::span<double> part = parts[key];
          ASSERT_EQ(part.size(), width);
          for (std::size_t i = 0; i < width; ++i) {
            ASSERT_EQ(part[i], other[i]) << "zeros at first, in each push";
            part[i] = other[i] += static_cast<double>(random() % 100);
          }
        }
        const SparseRows rows = scratch.copied(scratch.take_runs());
        EXPECT_TRUE(runs_fit(rows.runs(), {0, keys}));
        EXPECT_EQ(rows.width(), width);
        std::map<Key, std::vector<double>> found;
        const std::vector<double> numbers = rows.joined();
        auto at = numbers.begin();
        for_each_key(rows.runs(), [&](Key key) {
          found[key].assign(at, at + width);
          at += width;
        });
        EXPECT_EQ(at, numbers.end());
        ASSERT_EQ(found, expected) << keys << " keys, width " << width;
      }
      EXPECT_EQ(scratch.take_runs(), std::vector<KeyRun>());
    }
}

TEST(OpenScratch, NeighboursAreOneRunAcrossWords) {
  OpenScratch scratch(dense(300, 1));
  for (Key key = 299; key >= 10; --key) scratch.parts()[key][0] = 1;
  EXPECT_EQ(scratch.take_runs(), (std::vector<KeyRun>{{10, 290}}));
}

TEST(OpenScratch, ARunHasWhatItsRowsHave) {
  OpenScratch scratch(dense(300, 2));
  for (const auto& [first, count] : {std::pair<Key, Key>{0, 300}, {5, 3}, {64, 64}, {60, 200}, {299, 1}, {17, 0}}) {
    const OpenParts parts = scratch.parts();
    parts[70][1] = 7;
    const std::span<double> run = parts.run(first, count);
    ASSERT_EQ(run.size(), 2 * count);
    for (Key key = first; key < first + count; ++key)
      for (std::size_t i = 0; i < 2; ++i) {
        double& number = run[(key - first) * 2 + i];
        EXPECT_EQ(&number, &parts[key][i]);
        EXPECT_EQ(number, key == 70 && i == 1 ? 7 : 0) << "zeros at first, in each push";
        number = static_cast<double>(key + i);
      }
    std::vector<KeyRun> expected;
    if (first <= 70 && first + count > 70)
      expected = {{first, count}};
    else if (first < 70)
      expected = {{first, count}, {70, 1}};
    else
      expected = {{70, 1}, {first, count}};
    std::erase_if(expected, [](const KeyRun& one) { return one.count == 0; });
    EXPECT_EQ(scratch.take_runs(), expected);
  }
  EXPECT_THROW(scratch.parts().run(299, 2), std::out_of_range);
  EXPECT_THROW(scratch.parts().run(2, ~Key{0}), std::out_of_range);
  EXPECT_THROW(OpenParts().run(0, 1), std::out_of_range);
}

TEST(ScratchPool, LongRunsStayWhereTheyWereMadeAsLongAsTheyAreNeeded) {
  const Table table = dense(10000, 1);
  std::optional<ScratchPool> pool(std::in_place);
  const auto made = [&](ShardId shard, Key first, Key count, double number) {
    auto scratch = pool->take(0, table, shard);
    std::ranges::fill(scratch->parts().run(first, count), number);
    const double* const where = &scratch->parts()[first][0];
    return std::pair(pool->parts(0, shard, std::move(scratch)), where);
  };
  auto first = made(3, 100, 2000, 1);
  EXPECT_EQ(first.first.runs(), (std::vector<KeyRun>{{100, 2000}}));
  EXPECT_EQ(first.first.pieces().at(0).numbers.data(), first.second) << "not copied";
  const auto second = made(3, 100, 2000, 2);
  EXPECT_NE(second.second, first.second);
  EXPECT_EQ(first.first.joined(), std::vector<double>(2000, 1));
  first.first = {};
  EXPECT_NE(made(4, 100, 2000, 4).second, first.second) << "another shard's";
  EXPECT_EQ(made(3, 100, 2000, 3).second, first.second) << "used again";
  pool.reset();
  EXPECT_EQ(second.first.joined(), std::vector<double>(2000, 2)) << "parts outlive the pool";
}

TEST(ScratchPool, ShortRunsAreCopiedAndAnyShardUsesTheMemoryAgain) {
  const Table table = dense(10000, 1);
  ScratchPool pool;
  const OpenScratch* used = nullptr;
  for (const ShardId shard : {0U, 1U, 0U}) {
    auto scratch = pool.take(0, table, shard);
    EXPECT_TRUE(used == nullptr || scratch.get() == used);
    used = scratch.get();
    EXPECT_EQ(scratch->parts()[7][0], 0);
    scratch->parts()[7][0] = scratch->parts()[5000][0] = 1 + shard;
    EXPECT_EQ(pool.parts(0, shard, std::move(scratch)).joined(), std::vector<double>(2, 1 + shard));
  }
}

}  // namespace
}  // namespace rota
