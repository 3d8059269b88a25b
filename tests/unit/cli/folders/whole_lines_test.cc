#include "cli/folders/result_file.h"

namespace rota {
namespace {

template <typename Write>
std::string written(Write write) {
  std::ostringstream to;
  WholeLines out(to);
  write(out);
  out.end();
  EXPECT_TRUE(out.good());
  return to.str();
}

TEST(WholeLines, TheLastLineEnds) {
  EXPECT_EQ(written([](std::ostream& out) { out << "{\"auc\": " << 0.5 << "}"; }), "{\"auc\": 0.5}\n");
  EXPECT_EQ(written([](std::ostream& out) { out << "a\nb" << 'c'; }), "a\nbc\n");
}

TEST(WholeLines, ALineWithItsNewlineIsUnchanged) {
  EXPECT_EQ(written([](std::ostream& out) { out << "a\n"; }), "a\n");
  EXPECT_EQ(written([](std::ostream& out) { out << "a" << '\n' << std::flush; }), "a\n");
  EXPECT_EQ(written([](std::ostream& out) { out << ""; }), "");
}

TEST(WholeLines, ControlCharactersAreShownToPeople) {
  std::ostringstream to;
  WholeLines out(to, true);
  out << "caf\xc3"
      << "\xa9 \x1b]0;own\a" << '\n'
      << "\x1b";
  EXPECT_EQ(to.str(), "caf\xc3\xa9 \\x1b]0;own\\x07\n");
  out.end();
  EXPECT_EQ(to.str(), "caf\xc3\xa9 \\x1b]0;own\\x07\n\\x1b\n");
}

TEST(WholeLines, FailedWritesAreReported) {
  struct Full final : std::streambuf {};  // takes nothing
  Full full;
  std::ostream to(&full);
  for (const char* text : {"text", "t"}) {
    WholeLines out(to);
    out << text;
    out.end();
    EXPECT_FALSE(out.good());
  }
}

}  // namespace
}  // namespace rota
