#include "rota/facts.h"

namespace rota {
namespace {

TEST(Facts, AreSumsOrTheLargest) {
  Facts facts;
  facts.add("rows", 3);
  facts.largest("columns", 7);
  Facts later;
  later.add("rows", 4);
  later.largest("columns", 5);
  later.add("entries", 9);
  facts.merge(later);
  EXPECT_EQ(facts.count("rows"), 7U);
  EXPECT_EQ(facts.count("columns"), 7U);
  EXPECT_EQ(facts.count("entries"), 9U);
  ASSERT_EQ(facts.all().size(), 3U);
  EXPECT_EQ(facts.all()[0].name, "columns") << "by name, not in the order of calls";
  EXPECT_EQ(Facts(facts.all()), facts);
}

TEST(Facts, SeveralNumbersAreMergedByTheirPlaces) {
  Facts facts, later, other;
  facts.add("means", std::vector<double>{1, 2});
  facts.largest("ends", std::vector<double>{5, 6});
  later.add("means", std::vector<double>{10, 20});
  later.largest("ends", std::vector<double>{7, 1});
  facts.merge(later);
  EXPECT_TRUE(std::ranges::equal(facts.numbers("means"), std::vector<double>{11, 22}));
  EXPECT_TRUE(std::ranges::equal(facts.numbers("ends"), std::vector<double>{7, 6}));
  EXPECT_THROW(facts.number("means"), std::out_of_range);
  other.add("means", 3);
  EXPECT_THROW(facts.merge(other), std::invalid_argument);
}

TEST(Facts, AnUnknownNameThrows) {
  Facts facts;
  facts.add("rows", 3);
  EXPECT_TRUE(facts.has("rows"));
  EXPECT_FALSE(facts.has("row"));
  EXPECT_FALSE(facts.has("zebras"));
  EXPECT_THROW(facts.number("row"), std::out_of_range);
  EXPECT_THROW(facts.count("zebras"), std::out_of_range);
}

TEST(Facts, OnlyAnIntegerIsACount) {
  Facts facts;
  facts.add("mean", 0.5);
  facts.add("less", -1);
  facts.add("many", 1e17);
  facts.add("none", std::nan(""));
  EXPECT_EQ(facts.number("mean"), 0.5);
  for (const char* name : {"mean", "less", "many", "none"}) EXPECT_THROW(facts.count(name), std::out_of_range) << name;
}

TEST(Facts, ANameHasOneKind) {
  Facts facts;
  facts.add("rows", 3);
  EXPECT_THROW(facts.largest("rows", 3), std::invalid_argument);
}

}  // namespace
}  // namespace rota
