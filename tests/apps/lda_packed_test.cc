// tests/apps/lda_packed_test.cc -- topic models from data by shard.
#include "tests/apps/packed_data.h"

namespace rota::tests {
namespace {

using LdaPacked = Packed;

constexpr const char* kText = "a b b c\n\nd a a\ne\nc c d b a\nf g\n";

TEST_F(LdaPacked, OneModelFromTextAndFromShards) {
  const Given options{{"topics", "3"}, {"shards", "4"}};
  expect_one_model(job(options, files.write("text", kText)));
}

TEST_F(LdaPacked, WithHeldOutDocuments) {
  const Given options{{"topics", "3"}, {"shards", "3"}, {"valid", "given"}};
  expect_one_model(job(options, files.write("text", kText), {files.write("valid", "a b x\nc c d\n\na\n")}));
}

TEST_F(LdaPacked, DocumentsOfABagInAnyOrder) {
  const Given options{{"topics", "2"}, {"shards", "2"}};
  const std::string bag = files.write("bag", "5\n4\n5\n5 1 2\n1 2 1\n5 3 1\n3 1 4\n1 4 1\n");
  expect_one_model(job(options, bag));
}

TEST_F(LdaPacked, DocumentsOfLdaC) {
  const Given options{{"topics", "2"}, {"shards", "2"}, {"valid", "given"}};
  expect_one_model(
      job(options, files.write("train", "0\n2 1:2 0:1\n0\n1 3:4\n"), {files.write("valid", "2 3:1 9:1\n")}));
}

TEST_F(LdaPacked, BytesThatChanged) {
  const Given options{{"topics", "2"}, {"shards", "2"}, {"valid", "given"}};
  for (const char* const text : {kText, "5\n4\n5\n5 1 2\n1 2 1\n5 3 1\n3 1 4\n1 4 1\n"}) {
    const std::string input = files.write("input", text);
    expect_flips_are_borne(job(options, input, {input}));
  }
}

TEST_F(LdaPacked, DocumentsThatAreNotThere) {
  Job one = job({{"topics", "2"}, {"shards", "2"}}, files.write("text", kText));
  const auto data = pack(one);
  std::swap(*data->files()[1], *data->files()[0]);
  one.packed = data;
  EXPECT_EQ(refusal<DataError>(one), "common: damaged: not data by shard of this app");
}

}  // namespace
}  // namespace rota::tests
