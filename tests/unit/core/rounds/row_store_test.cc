#include "core/rounds/row_store.h"

#include <gtest/gtest.h>

#include <random>

#include "core/rounds/placement.h"

namespace rota {
namespace {

std::map<Key, std::vector<double>> all_of(const RowStore& store, std::optional<Key> behind = {}) {
  std::map<Key, std::vector<double>> rows;
  Key last = 0;
  store.for_each_behind(behind, [&](Key key, std::span<const double> values) {
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

TEST(RowStore, GoesOnBehindAKeyAndStopsWhenItIsTold) {
  RowStore store(1);
  for (const Key key : {1U, 63U, 64U, 1023U, 1024U, 70000U}) store.at(key)[0] = static_cast<double>(key);
  const auto behind = all_of(store, 64);
  EXPECT_EQ(behind.size(), 3U);
  EXPECT_TRUE(behind.contains(1023));
  EXPECT_EQ(all_of(store, 65).size(), 3U) << "a key without a row";
  EXPECT_TRUE(all_of(store, 70000).empty());
  int calls = 0;
  store.for_each_behind(std::nullopt, [&](Key, std::span<const double>) { return ++calls < 2; });
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

}  // namespace
}  // namespace rota
