// tests/apps/mf_packed_test.cc -- matrix factorisation from data by shard.
#include "rota/error.h"
#include "tests/apps/packed_data.h"
#include "tests/unit/apps/io/scratch_files.h"

extern "C" const rota::Plugin* rota_plugin_v1();

namespace rota::tests {
namespace {

const Plugin& plugin() {
  return *rota_plugin_v1();
}

constexpr const char* kRatings = "a x 1\nb x 5\na y 2\nc z 4\nb z 3\nd x 1\na z 2\nc y 1\ne w 5\na x 3\n";
constexpr const char* kHeldOut = "b y 2\nq x 1\nc x 4\n";

using Given = std::map<std::string, std::string>;

Given with(Given given, const Given& more) {
  given.insert(more.begin(), more.end());
  return given;
}

TEST(MfPacked, OneModelOfEverySolver) {
  const ScratchFiles files;
  const std::string ratings = files.write("ratings", kRatings), held_out = files.write("valid", kHeldOut);
  for (const Given& given :
       {Given{}, Given{{"rotate", "users"}}, Given{{"rotate", "items"}, {"biases", "true"}},
        Given{{"implicit", "true"}, {"solver", "sgd"}}, Given{{"solver", "als"}}, Given{{"implicit", "true"}},
        Given{{"solver", "ccd"}}, Given{{"solver", "ccd"}, {"schedule", "round_robin"}}})
    expect_one_model(plugin(), serial_job(plugin(), with(given, {{"rank", "4"}, {"shards", "3"}, {"valid", "given"}}),
                                          {ratings}, {held_out}));
}

TEST(MfPacked, Labels) {
  const ScratchFiles files;
  const Given options{{"loss", "logistic"}, {"rank", "2"}, {"shards", "2"}};
  expect_one_model(plugin(), serial_job(plugin(), options, {files.write("labels", "a x 1\nb x 0\na y -1\nc y 1\n")}));
  const Job same = packed_job(plugin(), serial_job(plugin(), options, {files.write("same", "a x 1\nb x 1\n")}));
  EXPECT_EQ(message_of<DataError>([&] { SerialHost(plugin(), same); }), "index: all labels are the same");
}

TEST(MfPacked, ShardsOfAnotherSolverAreRefused) {
  const ScratchFiles files;
  const std::string ratings = files.write("ratings", kRatings);
  Job job = serial_job(plugin(), {{"solver", "als"}, {"shards", "2"}}, {ratings});
  job.packed = pack(plugin(), serial_job(plugin(), {{"shards", "2"}}, {ratings}));
  EXPECT_EQ(message_of<UsageError>([&] { SerialHost(plugin(), job); }),
            "index: these shards are for --solver=sgd, and this solver deals the ratings otherwise: `rota shard mf "
            "--solver=...`");
}

TEST(MfPacked, BytesThatChanged) {
  const ScratchFiles files;
  const std::string ratings = files.write("ratings", kRatings), held_out = files.write("valid", kHeldOut);
  for (const char* const solver : {"sgd", "als"})
    expect_flips_are_borne(plugin(), serial_job(plugin(), {{"solver", solver}, {"shards", "2"}, {"valid", "given"}},
                                                {ratings}, {held_out}));
}

}  // namespace
}  // namespace rota::tests
