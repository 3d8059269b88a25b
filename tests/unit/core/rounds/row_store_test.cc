#include "core/rounds/placement.h"
#include "core/rounds/rows.h"

namespace rota {
namespace {

std::map<Key, std::vector<double>> all_of(const RowStore& store, std::optional<Key> after = {}) {
  std::map<Key, std::vector<double>> rows;
  Key last = 0;
  store.for_each_after(after, [&](Key key, std::span<const double> values) {
    EXPECT_TRUE(rows.empty() || key > last) << "keys ascend";
    last = key;
    rows.emplace(key, std::vector<double>(values.begin(), values.end()));
    return true;
  });
  return rows;
}

// Against a map, in any order of keys, near and far from each other.
TEST(RowStore, HasWhatAMapWouldHave) {
  std::mt19937_64 random(3);
  for (const std::uint32_t width : {0U, 1U, 3U, 32U, 5000U}) {
    RowStore store(width);
    std::map<Key, std::vector<double>> expected;
    for (int i = 0; i < 2000; ++i) {
      const Key key = random() % 2 == 0 ? random() % 3000 : random();
      const double value = static_cast<double>(random() % 1000);
      const std::span<double> row = store.at(key);
      ASSERT_EQ(row.size(), width);
      auto& other = expected[key];
      if (other.size() < width) {
        other.resize(width);
        EXPECT_TRUE(std::equal(row.begin(), row.end(), other.begin())) << "zeros when new";
      }
      if (width == 0) continue;
      row[key % width] = other[key % width] = value;
    }
    EXPECT_EQ(store.size(), expected.size());
    EXPECT_EQ(all_of(store), expected);
    for (int i = 0; i < 4000; ++i) {
      const auto row = store.find(static_cast<Key>(i));
      const auto other = expected.find(static_cast<Key>(i));
      ASSERT_EQ(row.has_value(), other != expected.end());
      if (row) {
        EXPECT_TRUE(std::equal(row->begin(), row->end(), other->second.begin(), other->second.end()));
      }
    }
  }
}

TEST(RowStore, IterationContinuesAfterAKeyAndStops) {
  RowStore store(1);
  for (const Key key : {1U, 63U, 64U, 1023U, 1024U, 70000U}) store.at(key)[0] = static_cast<double>(key);
  const auto after = all_of(store, 64);
  EXPECT_EQ(after.size(), 3U);
  EXPECT_TRUE(after.contains(1023));
  EXPECT_EQ(all_of(store, 65).size(), 3U) << "a key without a row";
  EXPECT_TRUE(all_of(store, 70000).empty());
  int calls = 0;
  store.for_each_after(std::nullopt, [&](Key, std::span<const double>) { return ++calls < 2; });
  EXPECT_EQ(calls, 2);
}

double memory_of_numbers(std::uint32_t width, std::uint64_t keys, std::uint32_t partitions) {
  RowStore store(width);
  for (Key key = 0; key < keys; ++key)
    if (partition_of_row(0, key, partitions) == 0) store.at(key);
  return static_cast<double>(store.memory()) / (static_cast<double>(store.size()) * width * sizeof(double));
}

TEST(RowStore, CostsLittleMoreThanItsNumbers) {
  for (const std::uint32_t partitions : {1U, 2U, 8U}) {
    EXPECT_LT(memory_of_numbers(1, 1'000'000, partitions), 1.3) << partitions;
    EXPECT_LT(memory_of_numbers(32, 100'000, partitions), 1.3) << partitions;
  }
}

// A dense store against a sparse one.
TEST(RowStore, ADenseOneHasWhatAnotherHas) {
  std::mt19937_64 random(9);
  for (const std::uint32_t width : {0U, 1U, 3U})
    for (const KeyRange range : {KeyRange{0, 1}, KeyRange{0, 64}, KeyRange{100, 1300}, KeyRange{5, 5}}) {
      RowStore dense(width, range), other(width);
      for (Key left = (range.end - range.first) / 2; left > 0; --left) {
        const Key key = range.first + random() % (range.end - range.first);
        const std::span<double> a = dense.at(key), b = other.at(key);
        ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
        for (std::size_t i = 0; i < width; ++i) a[i] = b[i] = static_cast<double>(random() % 1000);
      }
      const RowStore copy = dense;
      EXPECT_EQ(copy.size(), other.size());
      EXPECT_EQ(all_of(copy), all_of(other));
      for (const Key after : {Key{0}, range.first, range.first + 70, range.end, range.end + 200})
        EXPECT_EQ(all_of(copy, after), all_of(other, after));
      for (Key key = 0; key < range.end + 70; ++key) ASSERT_EQ(copy.find(key).has_value(), other.find(key).has_value());
    }
}

// A range may begin at any key, and only written rows take memory.
TEST(RowStore, ADenseOneAllocatesAsItIsWritten) {
  constexpr Key kFirst = Key{1} << 33;
  RowStore store(4, {kFirst, kFirst + (Key{1} << 24)});
  store.at(kFirst + 12345)[2] = 7;
  EXPECT_EQ((*store.find(kFirst + 12345))[2], 7);
  EXPECT_FALSE(store.find(0).has_value());
  EXPECT_EQ(store.size(), 1U);
}

TEST(RowStore, ARunIsItsRows) {
  std::mt19937_64 random(15);
  RowStore runs(2, {7, 400}), rows(2, {7, 400});
  for (int i = 0; i < 100; ++i) {
    const Key first = 7 + random() % 393;
    const KeyRun run{first, random() % (401 - first)};
    const std::span<double> all = runs.at_run(run);
    ASSERT_EQ(all.size(), 2 * run.count);
    for (std::size_t k = 0; k < run.count; ++k) all[2 * k] = rows.at(first + k)[0] = static_cast<double>(i);
    ASSERT_EQ(runs.size(), rows.size());
  }
  EXPECT_EQ(all_of(runs), all_of(rows));
}

}  // namespace
}  // namespace rota
