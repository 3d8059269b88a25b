#include "apps/kmeans/rows.h"

#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::kmeans {
namespace {

using tests::message_of;
using tests::ScratchFiles;

std::vector<double> values_of(const Row& row) {
  return {row.values.begin(), row.values.end()};
}

TEST(Rows, AreDealtToShardsInTurnOverAllFiles) {
  const ScratchFiles files;
  const std::vector<std::string> paths = {files.write("a", "1 1:1\n# nothing\n-1 3:2 7:0\n5\n"),
                                          files.write("b", "0 2:4\n7 1:5 2:6\n")};
  const ShardId hosted[] = {1, 0};
  const RowShards shards = read_shards(paths, 2, hosted);
  EXPECT_EQ(shards.size.rows, 5U);
  EXPECT_EQ(shards.size.columns, 7U);
  ASSERT_EQ(shards.hosted[0].size(), 2U);
  ASSERT_EQ(shards.hosted[1].size(), 3U);
  EXPECT_EQ(values_of(shards.hosted[0][0]), std::vector{2.0});
  EXPECT_EQ(shards.hosted[0][0].columns[0], 2U);
  EXPECT_EQ(values_of(shards.hosted[0][1]), std::vector{4.0});
  EXPECT_EQ(values_of(shards.hosted[1][0]), std::vector{1.0});
  EXPECT_TRUE(shards.hosted[1][1].values.empty());
  EXPECT_EQ(values_of(shards.hosted[1][2]), (std::vector{5.0, 6.0}));
}

TEST(Rows, WhatIsWrongIsNamedByFileAndLine) {
  const ScratchFiles files;
  const auto message = [&](const std::string& text) {
    return message_of<DataError>([&] {
      const ShardId hosted[] = {0};
      (void)read_shards({files.write("f", text)}, 1, hosted);
    });
  };
  EXPECT_NE(message("1 1:1\n1 2:x\n").find("/f:2: "), std::string::npos);
  EXPECT_NE(message("1 1:1\n\n1 1:2 2:1e141\n").find("/f:3: a value above 1e140"), std::string::npos);
  EXPECT_NE(
      message("1 1:1e-200\n1\n1 2:-3e-150 3:1e-150\n1 1:3e-150\n").find("/f:3: the largest value is below 1e-140"),
      std::string::npos);
  EXPECT_EQ(message("1 1:1e-200\n1 1:1e-139\n"), "no error");
  EXPECT_NE(message("# no rows\n").find("/f: the data has no rows"), std::string::npos);
  EXPECT_NE(message("1\n2\n").find("/f: the data has no columns"), std::string::npos);
  EXPECT_NE(message("1 1:1\n\n1 2:1 268435456:1\n1 3:1\n").find("/f:3: 268435456 columns are out of proportion"),
            std::string::npos);
  EXPECT_NE(message("").find("empty"), std::string::npos);
  EXPECT_THROW((void)read_shards({"no-such-file"}, 1, {}), NoInput);
}

}  // namespace
}  // namespace rota::kmeans
