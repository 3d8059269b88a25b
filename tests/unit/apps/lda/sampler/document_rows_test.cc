#include "apps/lda/sampler/document_rows.h"

namespace rota::lda {
namespace {

std::vector<TopicCount> counts(const DocumentRows& rows, std::size_t document) {
  std::vector<TopicCount> all;
  rows.append_counts(document, all);
  return all;
}

TEST(DocumentRows, FewTopicsGiveRowsOfAllTopics) {
  const std::uint32_t lengths[] = {3, 0, 70'000};
  DocumentRows rows(100, lengths);
  EXPECT_EQ(rows.rows()[0].kind, RowKind::narrow);
  EXPECT_EQ(rows.rows()[2].kind, RowKind::wide);
  EXPECT_FALSE(rows.all_narrow());
  ASSERT_TRUE(rows.assign(0, false, std::vector<TopicCount>{{2, 99}, {1, 5}}));
  EXPECT_EQ(counts(rows, 0), (std::vector<TopicCount>{{1, 5}, {2, 99}}));
  ASSERT_TRUE(rows.assign(2, false, std::vector<TopicCount>{{69'999, 7}, {1, 0}}));
  EXPECT_EQ(counts(rows, 2), (std::vector<TopicCount>{{1, 0}, {69'999, 7}}));
  EXPECT_TRUE(counts(rows, 1).empty());
  EXPECT_FALSE(rows.assign(0, true, {}));
}

TEST(DocumentRows, ListsKeepTheirOrder) {
  const std::uint32_t lengths[] = {50};
  DocumentRows rows(1000, lengths);
  ASSERT_TRUE(rows.is_list(0));
  std::vector<TopicCount> cells;
  for (std::uint16_t k = 0; k < 40; ++k) cells.push_back({1, static_cast<std::uint16_t>(999 - k * 7)});
  ASSERT_TRUE(rows.assign(0, true, cells));
  EXPECT_EQ(counts(rows, 0), cells);
  EXPECT_FALSE(rows.assign(0, false, cells));  // a short document is always a list
}

TEST(DocumentRows, LongListsBecomeRowsAndBack) {
  const std::uint32_t lengths[] = {2000};
  DocumentRows rows(1000, lengths);
  std::vector<TopicCount> many, few = {{1000, 17}, {1000, 3}};
  for (std::uint16_t k = 0; k < 900; ++k) many.push_back({2, static_cast<std::uint16_t>(999 - k)});
  ASSERT_TRUE(rows.assign(0, true, many));
  rows.choose_forms();
  EXPECT_FALSE(rows.is_list(0));
  std::reverse(many.begin(), many.end());
  EXPECT_EQ(counts(rows, 0), many);
  ASSERT_TRUE(rows.assign(0, false, few));
  rows.choose_forms();
  EXPECT_TRUE(rows.is_list(0));
  EXPECT_EQ(counts(rows, 0), (std::vector<TopicCount>{{1000, 3}, {1000, 17}}));
}

// Documents of every length with as many topics as tokens: none may exceed its memory, as the sanitizers check.
TEST(DocumentRows, EveryRowHasRoom) {
  for (const std::uint32_t topics : {257U, 400U, 1000U, 20'000U}) {
    std::vector<std::uint32_t> lengths;
    for (std::uint32_t length = 0; length < 1200; length += 1 + length / 40) lengths.push_back(length);
    DocumentRows rows(topics, lengths);
    for (std::size_t d = 0; d < lengths.size(); ++d)
      for (std::uint32_t i = 0; i < lengths[d]; ++i) rows.add(d, static_cast<std::uint16_t>(i * 7 % topics));
    for (int forms = 0; forms < 2; ++forms, rows.choose_forms()) {
      for (std::size_t d = 0; d < lengths.size(); ++d) {
        std::map<std::uint16_t, std::uint32_t> expected, found;
        for (std::uint32_t i = 0; i < lengths[d]; ++i) ++expected[static_cast<std::uint16_t>(i * 7 % topics)];
        for (const TopicCount cell : counts(rows, d)) found[cell.topic] = cell.count;
        EXPECT_EQ(found, expected);
      }
    }
  }
}

}  // namespace
}  // namespace rota::lda
