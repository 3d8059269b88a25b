#include "apps/lda/sampler/document_rows.h"

namespace rota::lda {
namespace {

std::vector<TopicCount> counts(const DocumentRows& rows, std::size_t document) {
  std::vector<TopicCount> all;
  rows.counts_of(document, all);
  return all;
}

TEST(DocumentRows, FewTopicsGiveRowsOfAllTopics) {
  DocumentRows rows(100, {3, 0, 70'000});
  EXPECT_EQ(rows.rows()[0].kind, RowKind::narrow);
  EXPECT_EQ(rows.rows()[2].kind, RowKind::wide);
  EXPECT_FALSE(rows.all_narrow());
  rows.assign(0, std::vector<TopicCount>{{2, 99}, {1, 5}});
  EXPECT_EQ(counts(rows, 0), (std::vector<TopicCount>{{1, 5}, {2, 99}}));
  rows.assign(2, std::vector<TopicCount>{{69'999, 7}, {1, 0}});
  EXPECT_EQ(counts(rows, 2), (std::vector<TopicCount>{{1, 0}, {69'999, 7}}));
  EXPECT_TRUE(counts(rows, 1).empty());
}

TEST(DocumentRows, ListsKeepTheirOrder) {
  DocumentRows rows(1000, {50});
  ASSERT_EQ(rows.rows()[0].kind, RowKind::list);
  std::vector<TopicCount> cells;
  for (std::uint16_t k = 0; k < 40; ++k) cells.push_back({1, static_cast<std::uint16_t>(999 - k * 7)});
  rows.assign(0, cells);
  EXPECT_EQ(counts(rows, 0), cells);
  EXPECT_EQ(rows.rows()[0].kind, RowKind::list) << "a short document is always a list";
}

TEST(DocumentRows, LongListsBecomeRowsAndBack) {
  DocumentRows rows(1000, {2000});
  for (std::uint16_t k = 0; k < 900; ++k) rows.add(0, static_cast<std::uint16_t>(999 - k));
  EXPECT_EQ(rows.rows()[0].kind, RowKind::list);
  std::vector<TopicCount> many = counts(rows, 0);
  EXPECT_EQ(many[0].topic, 999);
  rows.choose_forms();
  EXPECT_EQ(rows.rows()[0].kind, RowKind::narrow);
  std::reverse(many.begin(), many.end());
  EXPECT_EQ(counts(rows, 0), many);
  rows.assign(0, std::vector<TopicCount>{{1000, 17}, {1000, 3}});
  EXPECT_EQ(rows.rows()[0].kind, RowKind::list);
  EXPECT_EQ(counts(rows, 0), (std::vector<TopicCount>{{1000, 17}, {1000, 3}}));
}

TEST(DocumentRows, ListsBecomeWholeRows) {
  DocumentRows rows(1000, {2, 2000}, true);
  for (const int topic : {7, 3}) rows.add(0, static_cast<std::uint16_t>(topic));
  EXPECT_EQ(rows.rows()[0].kind, RowKind::list);
  rows.choose_forms();
  for (const std::size_t d : {0U, 1U}) EXPECT_EQ(rows.rows()[d].kind, RowKind::narrow);
  EXPECT_EQ(counts(rows, 0), (std::vector<TopicCount>{{1, 3}, {1, 7}}));
  rows.assign(0, std::vector<TopicCount>{{2, 5}});
  EXPECT_EQ(rows.rows()[0].kind, RowKind::narrow) << "a restored row has the same form";
  EXPECT_NE(rows.sums(), nullptr);
}

// Documents of every length with as many topics as tokens: none may exceed its memory, as the sanitizers check.
TEST(DocumentRows, EveryRowHasRoom) {
  for (const std::uint32_t topics : {257U, 400U, 1000U, 20'000U}) {
    std::vector<std::uint32_t> lengths;
    for (std::uint32_t length = 0; length < 1200; length += 1 + length / 40) lengths.push_back(length);
    for (const bool whole : {false, true}) {
      DocumentRows rows(topics, lengths, whole);
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
}

}  // namespace
}  // namespace rota::lda
