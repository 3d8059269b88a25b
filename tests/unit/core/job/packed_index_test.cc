#include "core/job/packed_folder.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

PackedIndex sample() {
  PackedIndex index;
  index.app = "app";
  index.format = 3;
  index.rota = "0.1.0";
  index.options = {{"format", "auto"}, {"weights", "/a\xff/b"}};
  index.input = {1, 2};
  index.valid = {3, 4};
  index.has_valid = true;
  index.common = {10, {5, 6}};
  index.shards = {{{20, {7, 8}}, 5}, {{0, {9, 10}}, 0}};
  return index;
}

class PackedIndexTest : public TemporaryFolder {};

TEST_F(PackedIndexTest, IsReadAsItWasWritten) {
  const std::string text = encode_index(sample());
  const auto back = decode_index(text);
  ASSERT_TRUE(back.ok()) << back.status().what();
  EXPECT_EQ(encode_index(*back), text);
  EXPECT_EQ(back->options.at("weights"), "/a\xff/b");
  EXPECT_EQ(back->shards[1].file.hash, (Hash128{9, 10}));
  EXPECT_TRUE(is_index(text));
}

TEST_F(PackedIndexTest, NoByteOfItCanChange) {
  const std::string text = encode_index(sample());
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const unsigned flip : {0x01U, 0x20U, 0xffU}) {
      std::string other = text;
      other[at] = static_cast<char>(static_cast<unsigned char>(other[at]) ^ flip);
      const auto read = decode_index(other);
      // White space may become other white space.
      EXPECT_EQ(read.ok() ? encode_index(*read) : text, text) << at;
      EXPECT_TRUE(read.ok() || read.status().code() == ExitCode::bad_data) << at;
    }
  for (std::size_t size = 0; size + 1 < text.size(); ++size) EXPECT_FALSE(decode_index(text.substr(0, size)).ok());
}

TEST_F(PackedIndexTest, AnUnfinishedOneIsOursAndOfNoUse) {
  EXPECT_TRUE(is_index(unfinished_index()));
  EXPECT_EQ(decode_index(unfinished_index()).status().what(),
            "`rota shard` has not finished writing the data by shard here");
  EXPECT_FALSE(is_index("{}"));
  EXPECT_FALSE(is_index(""));
}

TEST_F(PackedIndexTest, TheFolderIsKnownByItsFiles) {
  EXPECT_FALSE(is_packed_folder(folder));
  EXPECT_FALSE(is_packed_folder(folder / "none"));
  write(kPackedCommon, "");
  EXPECT_TRUE(is_packed_folder(folder)) << "an index that is missing is no reason to read the files as text";
  EXPECT_EQ(read_index(folder).status().code(), ExitCode::bad_data);
  EXPECT_NE(read_index(folder).status().what().find(kPackedIndex), std::string::npos);
  write(kPackedIndex, encode_index(sample()));
  EXPECT_TRUE(read_index(folder).ok());
  write(kPackedIndex, "{");
  EXPECT_TRUE(read_index(folder).status().what().starts_with((folder / kPackedIndex).string()));
}

}  // namespace
}  // namespace rota
