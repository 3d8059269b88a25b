#include "apps/kmeans/shared_centres.h"

#include <gtest/gtest.h>

#include "tests/unit/apps/kmeans/plain_rows.h"

namespace rota::kmeans {
namespace {

TEST(SharedCentres, AreThoseOfTheStartUntilTheTableHasMembers) {
  SharedCentres shared(2, 2);
  const Rows rows = tests::sparse({{1, 0}, {0, 2}});
  std::vector<double> table(6);
  const Row first[] = {rows[0]}, second[] = {rows[1]};
  shared.start(0, first);
  EXPECT_DOUBLE_EQ(shared.to_newest(rows[0]), 0);
  EXPECT_DOUBLE_EQ(shared.to_newest(rows[1]), 5);
  const auto half = shared.at(0, table);
  EXPECT_EQ(half->empty().size(), 1U);
  shared.start(1, second);
  shared.start(1, second);  // another shard has heard it too
  EXPECT_DOUBLE_EQ(shared.to_newest(rows[1]), 0);
  const auto whole = shared.at(0, table);
  EXPECT_NE(half, whole);
  EXPECT_EQ(shared.at(0, table), whole);
  EXPECT_TRUE(whole->empty().empty());
  EXPECT_DOUBLE_EQ(whole->value(0, 0), 1);
  EXPECT_DOUBLE_EQ(whole->value(1, 1), 2);

  table = {3, 8, 4, 8, 3, 4};
  const auto later = shared.at(1, table);
  EXPECT_DOUBLE_EQ(later->value(0, 0), 1);
  EXPECT_DOUBLE_EQ(later->value(1, 1), 2);
  EXPECT_DOUBLE_EQ(later->norm(1), 8);
  EXPECT_EQ(shared.at(1, table), later);
  EXPECT_NE(shared.at(2, table), later);
}

}  // namespace
}  // namespace rota::kmeans
