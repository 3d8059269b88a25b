#include "core/rounds/views.h"

#include "tests/unit/core/wire/round_messages.h"

namespace rota::views {
namespace {

using tests::bytes_of;
using tests::deltas_of;
using tests::rows_of;

std::vector<Table> tables() {
  std::vector<Table> all{{"apart", Table::Kind::shared, 100, 1, 1}, {"all", Table::Kind::shared, 5, 2, 1}};
  all[1].dense = true;
  return all;
}

std::vector<double> numbers_of(const Views& views, TableId table) {
  const auto numbers = views.tables()[table].numbers();
  return {numbers.begin(), numbers.end()};
}

TEST(Views, MayStartWithOtherNumbers) {
  Views views(tables());
  const double row[] = {3, 4};
  views.set(1, 2, row);
  views.set(0, 2, std::span(row).first(1));
  EXPECT_EQ(numbers_of(views, 1), (std::vector<double>{0, 0, 0, 0, 3, 4, 0, 0, 0, 0}));
  EXPECT_GT(views.tables()[1].version(), 0U);
  EXPECT_EQ(views.commits(), 0U);
}

// Rounds as Commits returns them.
TEST(Views, HaveTheRowsOfEachCommit) {
  Views views(tables());
  const TableView view = views.tables()[1];
  RoundDeltas named;
  named.rows = rows_of(1, {4, 0}, 1);
  named.width = 2;
  named.values = {1, 2, 3, 4};
  named.in_view = true;
  views.apply(named);
  EXPECT_EQ(numbers_of(views, 1), (std::vector<double>{3, 4, 0, 0, 0, 0, 0, 0, 1, 2}));
  EXPECT_EQ(view.version(), 1U);
  RoundDeltas open;
  open.rows = rows_of(2, {}, 1);
  open.rows.open = open.in_view = true;
  open.width = 2;
  open.open = {{{{0, 2}}, bytes_of({5, 6, 7, 8})}, {}, {{{3, 1}, {4, 1}}, bytes_of({9, 10, 11, 12})}};
  views.apply(open);
  EXPECT_EQ(numbers_of(views, 1), (std::vector<double>{5, 6, 7, 8, 0, 0, 9, 10, 11, 12}));
  EXPECT_EQ(view.row(3)[1], 10);
  EXPECT_EQ(view.version(), 2U);
  RoundDeltas other;
  other.rows = rows_of(3, {7}, 0);
  other.width = 1;
  other.values = {1};
  views.apply(other);
  EXPECT_EQ(views.commits(), 3U);
  EXPECT_EQ(view.version(), 2U) << "a commit of another table is not in it";
  EXPECT_THROW(view.row(5), std::out_of_range);
}

TEST(Views, AreRestoredInChunks) {
  Views views(tables());
  views.restore(deltas_of(0, {1, 3}, {1, 2, 3, 4}, 1));
  views.restore(deltas_of(0, {4}, {5, 6}, 1));
  views.restore(deltas_of(0, {50}, {7}, 0));
  EXPECT_EQ(numbers_of(views, 1), (std::vector<double>{0, 0, 1, 2, 0, 0, 3, 4, 5, 6}));
  EXPECT_EQ(views.commits(), 0U);
  EXPECT_GT(views.tables()[1].version(), 0U);
}

}  // namespace
}  // namespace rota::views
