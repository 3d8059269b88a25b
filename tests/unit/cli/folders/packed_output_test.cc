#include "cli/folders/packed_output.h"

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

class PackedOutputTest : public TemporaryFolder {
 protected:
  static std::span<const std::byte> bytes(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
  }
  // What `rota shard` does; "" on success.
  std::string put(std::uint32_t shards, const std::string& mark = "") {
    auto output = PackedOutput::open(out_, shards);
    if (!output.ok()) return output.status().what();
    output->common(bytes("common" + mark));
    for (ShardId s = 0; s < shards; ++s) output->shard(s, s, bytes(mark + std::to_string(s)));
    PackedIndex rest;
    rest.app = "app";
    rest.format = 1;
    const auto index = output->end(rest);
    return index.ok() ? "" : index.status().what();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(out_)) all.push_back(entry.path().filename().string());
    std::sort(all.begin(), all.end());
    return all;
  }

  const std::filesystem::path out_ = folder / "out";
};

TEST_F(PackedOutputTest, TheIndexNamesWhatIsThere) {
  EXPECT_EQ(put(2), "");
  EXPECT_EQ(names(), (std::vector<std::string>{kPackedCommon, kPackedIndex, packed_file(0), packed_file(1)}));
  const auto index = read_index(out_);
  ASSERT_TRUE(index.ok()) << index.status().what();
  EXPECT_EQ(index->shards[1].items, 1U);
  EXPECT_EQ(index->shards[1].file.bytes, 1U);
  EXPECT_EQ(index->shards[1].file.hash, hash128(bytes("1")));
  EXPECT_EQ(read(out_ / packed_file(1)), "1");
}

TEST_F(PackedOutputTest, EarlierDataIsReplaced) {
  EXPECT_EQ(put(3), "");
  write("out/shard-00009.rota-shard.unfinished-abcdef", "left by a crash");
  EXPECT_EQ(put(1, "new"), "");
  EXPECT_EQ(names(), (std::vector<std::string>{kPackedCommon, kPackedIndex, packed_file(0)}));
  EXPECT_EQ(read(out_ / packed_file(0)), "new0");
}

TEST_F(PackedOutputTest, WithoutDataAFolderOfItsOwnMakingGoesAgain) {
  {
    const auto output = PackedOutput::open(out_, 1);
    ASSERT_TRUE(output.ok());
    output->give_up();
  }
  EXPECT_FALSE(std::filesystem::exists(out_));
  std::filesystem::create_directory(out_);
  const auto output = PackedOutput::open(out_, 1);
  ASSERT_TRUE(output.ok());
  output->give_up();
  EXPECT_TRUE(std::filesystem::exists(out_));  // it existed before
}

TEST_F(PackedOutputTest, WhatIsNotOursStays) {
  write("out/mine.txt", "mine");
  EXPECT_EQ(put(1), out_.string() + " holds mine.txt, which `rota shard` did not write: choose another --output");
  EXPECT_EQ(names(), std::vector<std::string>{"mine.txt"});
  std::filesystem::remove_all(out_);
  write("out/shard-00000.rota-shard", "without an index");
  EXPECT_EQ(put(1), out_.string() + " contains files not created by Rota: choose another --output");
  write("out/rota-shards.json", "{}");
  EXPECT_EQ(put(1), out_.string() + " contains files not created by Rota: choose another --output");
  std::filesystem::remove_all(out_);
  write("mine", "mine");
  EXPECT_EQ(put(1), "");
  std::filesystem::remove(out_ / packed_file(0));
  std::filesystem::create_symlink(folder / "mine", out_ / packed_file(0));
  EXPECT_NE(put(1), "");
  EXPECT_EQ(read(folder / "mine"), "mine");
  write("file", "");
  EXPECT_EQ(PackedOutput::open(folder / "file", 1).status().code(), ExitCode::cannot_write);
}

TEST_F(PackedOutputTest, NothingIsTouchedBeforeThereIsData) {
  EXPECT_EQ(put(1), "");
  { ASSERT_TRUE(PackedOutput::open(out_, 2).ok()); }
  EXPECT_TRUE(read_index(out_).ok());
  auto output = PackedOutput::open(out_, 2);
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(PackedOutput::open(out_, 2).status().code(), ExitCode::cannot_write) << "one at a time";
  output->common(bytes("half"));
  EXPECT_FALSE(read_index(out_).ok()) << "a job cannot train on unfinished data";
  EXPECT_TRUE(is_index(read(out_ / kPackedIndex))) << "and a folder that can be written again";
}

TEST_F(PackedOutputTest, AMissingShardIsAnError) {
  const auto end = [&](auto give) {
    auto output = PackedOutput::open(out_, 2);
    EXPECT_TRUE(output.ok());
    give(*output);
    return output->end({}).status().what();
  };
  EXPECT_EQ(end([](PackedOutput& out) { out.common(bytes("")), out.shard(0, 1, bytes("x")); }),
            "plugin: pack made no shard-00001.rota-shard");
  EXPECT_EQ(end([](PackedOutput& out) { out.shard(0, 1, bytes("x")), out.shard(1, 1, bytes("x")); }),
            "plugin: pack made no common data");
  EXPECT_EQ(end([](PackedOutput& out) { out.shard(2, 1, bytes("x")); }), "plugin: pack made a shard 2 of 2");
}

}  // namespace
}  // namespace rota
