#include "rota/io/numbers.h"

#include "rota/utf8.h"

namespace rota::io {
namespace {

TEST(Quoted, ShowsWhatIsNotPrintable) {
  EXPECT_EQ(io::quoted("abc"), "'abc'");
  EXPECT_EQ(io::quoted(""), "''");
  EXPECT_EQ(io::quoted("a\tb\x7f"), "'a\\x09b\\x7f'");
  EXPECT_EQ(io::quoted("Straße"), "'Straße'");
}

// Such a byte in the run's records aborted the coordinator.
TEST(Quoted, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(io::quoted("caf\xe9"), "'caf\\xe9'");
  EXPECT_EQ(io::quoted("\xc3"), "'\\xc3'");
}

TEST(Quoted, NeverCutsInsideACharacter) {
  const std::string forty(40, 'x');
  EXPECT_EQ(io::quoted(forty), "'" + forty + "'");
  EXPECT_EQ(io::quoted(forty + "y"), "'" + forty + "...'");
  for (std::size_t before = 36; before <= 41; ++before)
    for (const char* character : {"é", "日", "🎡"}) {
      const std::string shown = io::quoted(std::string(before, 'x') + character + "yyyyy");
      EXPECT_TRUE(is_utf8(shown)) << shown;
      EXPECT_LE(shown.size(), 2 + 40 + 3U) << shown;
    }
}

}  // namespace
}  // namespace rota::io
