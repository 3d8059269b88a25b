#include "rota/io/text_writer.h"

#include <gtest/gtest.h>

#include "tests/unit/apps/io/scratch_files.h"

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

TEST(TextWriter, AFileThatCannotBeWrittenIsNamed) {
  try {
    TextWriter out("/no/such/folder/x.txt");
    FAIL() << "it was opened";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "/no/such/folder/x.txt: cannot be written");
  }
}

}  // namespace
}  // namespace rota::io
