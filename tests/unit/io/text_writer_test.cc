#include "rota/io/text_writer.h"

#include <system_error>

#include "tests/unit/io/scratch_files.h"

namespace rota::io {
namespace {

TEST(TextWriter, NumbersReadBackAsTheyWere) {
  const tests::ScratchFiles scratch;
  const std::filesystem::path file = scratch.folder() / "numbers.csv";
  TextWriter out(file);
  out << "a," << std::uint64_t{18446744073709551615U} << "," << 0.1 + 0.2 << "\n";
  out.close();
  EXPECT_EQ(tests::read_file(file), "a,18446744073709551615,0.30000000000000004\n");
}

TEST(TextWriter, AFloatIsNotWrittenAsTheDoubleBesideIt) {
  const tests::ScratchFiles scratch;
  const std::filesystem::path file = scratch.folder() / "numbers.csv";
  TextWriter out(file);
  out << 0.1F << " " << -1.5F;
  out.close();
  EXPECT_EQ(tests::read_file(file), "0.1 -1.5");
}

TEST(TextWriter, LongTextsAndManyShortOnesKeepTheirOrder) {
  const tests::ScratchFiles scratch;
  const std::filesystem::path file = scratch.folder() / "long.txt";
  const std::string large(std::size_t{1} << 20, 'x');
  std::string expected;
  TextWriter out(file);
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    out << i << "\n";
    expected += std::to_string(i) + "\n";
    if (i % 40'000 != 7) continue;
    out << large;
    expected += large;
  }
  out.close();
  EXPECT_TRUE(tests::read_file(file) == expected);
}

TEST(TextWriter, ADiskThatIsFullIsReported) {
  TextWriter out("/dev/full");
  out << "text";
  try {
    out.close();
    FAIL() << "it was written";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_space_on_device);
  }
}

TEST(TextWriter, AFileThatCannotBeWrittenIsNamed) {
  try {
    TextWriter out("/no/such/folder/x.txt");
    FAIL() << "it was opened";
  } catch (const std::system_error& error) {
    EXPECT_STREQ(error.what(), "/no/such/folder/x.txt: cannot be written: No such file or directory");
  }
}

}  // namespace
}  // namespace rota::io
