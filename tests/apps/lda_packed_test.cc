// tests/apps/lda_packed_test.cc -- topic models from data by shard.
#include "rota/error.h"
#include "tests/apps/packed_data.h"
#include "tests/unit/apps/io/scratch_files.h"

extern "C" const rota::Plugin* rota_plugin_v1();

namespace rota::tests {
namespace {

const Plugin& plugin() {
  return *rota_plugin_v1();
}

constexpr const char* kText = "a b b c\n\nd a a\ne\nc c d b a\nf g\n";

TEST(LdaPacked, OneModelFromTextAndFromShards) {
  const ScratchFiles files;
  const std::map<std::string, std::string> options{{"topics", "3"}, {"shards", "4"}};
  expect_one_model(plugin(), serial_job(plugin(), options, {files.write("text", kText)}));
}

TEST(LdaPacked, WithHeldOutDocuments) {
  const ScratchFiles files;
  const std::map<std::string, std::string> options{{"topics", "3"}, {"shards", "3"}, {"valid", "given"}};
  expect_one_model(plugin(), serial_job(plugin(), options, {files.write("text", kText)},
                                        {files.write("valid", "a b x\nc c d\n\na\n")}));
}

TEST(LdaPacked, DocumentsOfABagInAnyOrder) {
  const ScratchFiles files;
  const std::map<std::string, std::string> options{{"topics", "2"}, {"shards", "2"}};
  const std::string bag = files.write("bag", "5\n4\n5\n5 1 2\n1 2 1\n5 3 1\n3 1 4\n1 4 1\n");
  expect_one_model(plugin(), serial_job(plugin(), options, {bag}));
}

TEST(LdaPacked, DocumentsOfLdaC) {
  const ScratchFiles files;
  const std::map<std::string, std::string> options{{"topics", "2"}, {"shards", "2"}, {"valid", "given"}};
  expect_one_model(plugin(), serial_job(plugin(), options, {files.write("train", "0\n2 1:2 0:1\n0\n1 3:4\n")},
                                        {files.write("valid", "2 3:1 9:1\n")}));
}

TEST(LdaPacked, BytesThatChanged) {
  const ScratchFiles files;
  const std::map<std::string, std::string> options{{"topics", "2"}, {"shards", "2"}, {"valid", "given"}};
  for (const char* const text : {kText, "5\n4\n5\n5 1 2\n1 2 1\n5 3 1\n3 1 4\n1 4 1\n"}) {
    const std::string input = files.write("input", text);
    expect_flips_are_borne(plugin(), serial_job(plugin(), options, {input}, {input}));
  }
}

TEST(LdaPacked, DocumentsThatAreNotThere) {
  const ScratchFiles files;
  Job job = serial_job(plugin(), {{"topics", "2"}, {"shards", "2"}}, {files.write("text", kText)});
  const auto data = pack(plugin(), job);
  std::swap(*data->files()[1], *data->files()[0]);
  job.packed = data;
  EXPECT_EQ(message_of<DataError>([&] { SerialHost(plugin(), job); }),
            "common: it is no data by shard of this app: damaged");
}

}  // namespace
}  // namespace rota::tests
