#include "rota/io/line_fields.h"

namespace rota::io {
namespace {

TEST(LineFields, AreReadAsWhatIsWanted) {
  std::uint64_t user = 0;
  std::uint32_t item = 0;
  double rating = 0;
  std::string_view name;
  ASSERT_TRUE(read_line(" 999999999999999999\t4294967295 -2.5e-1  caf\xc3\xa9 ", user, item, rating, name));
  EXPECT_EQ(user, 999'999'999'999'999'999U);
  EXPECT_EQ(item, 4294967295U);
  EXPECT_EQ(rating, -0.25);
  EXPECT_EQ(name, "caf\xc3\xa9");
}

TEST(LineFields, AreAllOfTheLine) {
  double x = 0, y = 0;
  EXPECT_TRUE(read_line("1 2", x, y));
  for (const char* line : {"", " ", "1", "1 2 3", "1 two", "1 2x", "1 nan", "1,2"})
    EXPECT_FALSE(read_line(line, x, y)) << line;
  EXPECT_TRUE(read_line("  "));
}

TEST(LineFields, IntegersAreDigitsInRange) {
  std::uint64_t wide = 0;
  std::uint32_t narrow = 0;
  for (const char* line : {"-1", "+1", "1.0", "1e3", "1000000000000000000", "0x1", ""})
    EXPECT_FALSE(read_line(line, wide)) << line;
  EXPECT_FALSE(read_line("4294967296", narrow));
  EXPECT_TRUE(read_line("007", narrow));
  EXPECT_EQ(narrow, 7U);
}

}  // namespace
}  // namespace rota::io
