#include "apps/lda/sampler/hash_row.h"

#include "rota/random.h"

namespace rota::lda {
namespace {

constexpr std::uint32_t kBits = 4, kPlaces = 1 << kBits;

struct Table {
  std::vector<std::uint16_t> numbers = std::vector<std::uint16_t>(2 * kPlaces);
  HashRow row{numbers.data(), kBits};

  std::size_t used() const {
    std::size_t used = 0;
    for (std::uint32_t i = 0; i < kPlaces; ++i) used += numbers[2 * i + 1] != 0 ? 1 : 0;
    return used;
  }
};

TEST(HashRow, CountsAndForgets) {
  Table table;
  EXPECT_EQ(table.row.count(0), 0U);
  EXPECT_EQ(table.row.count(7), 0U);
  EXPECT_TRUE(table.row.add(7, 3));
  EXPECT_FALSE(table.row.add(7, 1));
  EXPECT_TRUE(table.row.add(0, 65'535));
  EXPECT_EQ(table.row.count(7), 4U);
  EXPECT_EQ(table.row.count(0), 65'535U);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(table.row.remove(7));
  EXPECT_TRUE(table.row.remove(7));
  EXPECT_EQ(table.row.count(7), 0U);
  EXPECT_EQ(table.row.count(0), 65'535U);
}

// Topics that all hash to the last place continue at the first; any of them may be removed.
TEST(HashRow, DeletionGoesRoundTheEnd) {
  std::vector<std::uint16_t> topics;
  for (std::uint16_t k = 0; topics.size() < 5; ++k) {
    Table table;
    if (table.row.home(k) == &table.numbers[2 * (kPlaces - 1)]) topics.push_back(k);
  }
  for (const std::uint16_t gone : topics) {
    Table table;
    for (const std::uint16_t k : topics) table.row.add(k, k + 1U);
    for (int i = 0; i <= gone; ++i) table.row.remove(gone);
    EXPECT_EQ(table.used(), topics.size() - 1);
    for (const std::uint16_t k : topics) EXPECT_EQ(table.row.count(k), k == gone ? 0U : k + 1U);
  }
}

TEST(HashRow, IsAMap) {
  Random random({1, 2, 3, 4});
  for (const std::size_t most : {3U, 12U, kPlaces - 1}) {  // topics at a time, up to a table with one free place
    Table table;
    std::map<std::uint16_t, std::uint32_t> expected;
    for (int step = 0; step < 30'000; ++step) {
      const auto topic = static_cast<std::uint16_t>(random.below(40) * 1637);
      if (random.below(2) == 0 && expected.contains(topic)) {
        const bool last = --expected[topic] == 0;
        EXPECT_EQ(table.row.remove(topic), last);
        if (last) expected.erase(topic);
      } else if (expected.size() < most || expected.contains(topic)) {
        EXPECT_EQ(table.row.add(topic, 1), !expected.contains(topic));
        ++expected[topic];
      }
      ASSERT_EQ(table.used(), expected.size());
      for (std::uint32_t k = 0; k < 40; ++k) {
        const auto found = expected.find(static_cast<std::uint16_t>(k * 1637));
        ASSERT_EQ(table.row.count(k * 1637), found == expected.end() ? 0 : found->second);
      }
    }
  }
}

}  // namespace
}  // namespace rota::lda
