#include "core/rounds/rows.h"

namespace rota::rows {
namespace {

std::vector<Table> tables() {
  return {{"one", Table::Kind::shared, 100, 2, 1},
          {"sliced", Table::Kind::sliced, 5, 0, 0},
          {"two", Table::Kind::shared, 100, 1, 1}};
}

TEST(Rows, TheHashDoesNotDependOnHowTheyAreSpread) {
  Rows all(tables());
  std::vector<Rows> spread(3, Rows(tables()));
  for (Key key = 0; key < 50; ++key) {
    const double value = 1.0 / static_cast<double>(key + 1);
    all.row(0, key)[1] = value;
    spread[key % 3].row(0, key)[1] = value;
  }
  Hash128 sum;
  for (const Rows& some : spread) sum += some.hash();
  EXPECT_EQ(sum, all.hash());
  EXPECT_EQ(Rows(tables()).hash(), Hash128{});
}

TEST(Rows, EveryPartOfARowIsInTheHash) {
  const auto hash_of = [](TableId table, Key key, double value) {
    Rows rows(tables());
    rows.row(table, key)[0] = value;
    return rows.hash();
  };
  const Hash128 one = hash_of(0, 5, 1);
  EXPECT_EQ(one, hash_of(0, 5, 1));
  EXPECT_NE(one, hash_of(0, 6, 1));
  EXPECT_NE(one, hash_of(2, 5, 1));
  EXPECT_NE(one, hash_of(0, 5, 2));
  EXPECT_NE(hash_of(0, 5, 0.0), hash_of(0, 5, -0.0));
}

TEST(Rows, ADenseTableHasTheRangeOfItsPartition) {
  std::vector<Table> all{{"all", Table::Kind::shared, 10, 1, 1}, {"slices", Table::Kind::sliced, 10, 0, 0}};
  all[0].dense = true;
  std::vector<Rows> spread;
  Rows whole(all);
  for (std::uint32_t p = 0; p < 3; ++p) spread.emplace_back(all, p, 3);
  Hash128 sum;
  for (Key key = 0; key < 10; ++key) {
    whole.row(0, key)[0] = static_cast<double>(key);
    for (Rows& rows : spread)
      if (rows.may_have(0, key)) rows.row(0, key)[0] = static_cast<double>(key);
    EXPECT_FALSE(whole.may_have(1, key));
  }
  for (const Rows& rows : spread) sum += rows.hash();
  EXPECT_EQ(sum, whole.hash()) << "each row is in one of them";
  EXPECT_FALSE(whole.may_have(0, 10));
  EXPECT_FALSE(spread[0].may_have(0, 9));
}

}  // namespace
}  // namespace rota::rows
