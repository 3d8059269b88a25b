#include "apps/kmeans/shared_centres.h"

#include "tests/unit/apps/kmeans/plain_rows.h"

namespace rota::kmeans {
namespace {

TEST(SharedCentres, AreThoseOfAStartUntilItsFirstCommit) {
  SharedCentres shared(2, 2);
  const Rows rows = tests::sparse({{1, 0}, {0, 2}});
  std::vector<double> table(6);
  const Row first[] = {rows[0]}, second[] = {rows[0], rows[1]};
  shared.draw({1, 7}, 0, first);
  shared.take(0, 0);
  EXPECT_EQ(shared.drawn().distance(rows[0], 0), 0);
  EXPECT_DOUBLE_EQ(shared.drawn().distance(rows[1], 0), 5);
  shared.draw({3, 7}, 1, second);
  shared.draw({3, 7}, 1, first);  // another shard reports the same round
  EXPECT_EQ(shared.drawn().clusters(), 2U);
  shared.take(1, 1);
  shared.take(1, 0);  // as above
  const auto whole = shared.at(7, table);
  EXPECT_EQ(shared.at(7, table), whole);
  EXPECT_TRUE(whole->empty().empty());
  EXPECT_DOUBLE_EQ(whole->value(0, 0), 1);
  EXPECT_DOUBLE_EQ(whole->value(1, 1), 2);

  table = {3, 8, 4, 8, 3, 4};
  const auto later = shared.at(8, table);
  EXPECT_DOUBLE_EQ(later->value(0, 0), 1);
  EXPECT_DOUBLE_EQ(later->value(1, 1), 2);
  EXPECT_DOUBLE_EQ(later->norm(1), 8);
  EXPECT_EQ(shared.at(8, table), later);
  EXPECT_NE(shared.at(9, table), later);

  const auto before = shared.at(9, table);
  const Row both[] = {rows[1], rows[0]};
  shared.draw({20, 9}, 0, both);  // the next start, of all clusters at once
  const auto again = shared.at(9, table);
  EXPECT_NE(again, before);
  EXPECT_DOUBLE_EQ(again->value(1, 0), 2);
  EXPECT_DOUBLE_EQ(again->value(0, 1), 1);
  EXPECT_DOUBLE_EQ(shared.at(10, table)->value(0, 0), 1);
}

}  // namespace
}  // namespace rota::kmeans
