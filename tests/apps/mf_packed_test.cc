// tests/apps/mf_packed_test.cc -- matrix factorisation from data by shard.
#include "tests/apps/mf_plugins.h"
#include "tests/apps/packed_data.h"

namespace rota::tests {
namespace {

using MfPacked = Packed;

constexpr const char* kRatings = "a x 1\nb x 5\na y 2\nc z 4\nb z 3\nd x 1\na z 2\nc y 1\ne w 5\na x 3\n";
constexpr const char* kHeldOut = "b y 2\nq x 1\nc x 4\n";

TEST_F(MfPacked, OneModelOfEveryApp) {
  const std::string ratings = files.write("ratings", kRatings), held_out = files.write("valid", kHeldOut);
  const std::pair<const char*, Given> jobs[] = {
      {"mf", {}},  {"mf", {{"rotate", "users"}}},         {"mf", {{"rotate", "items"}, {"biases", "true"}}},
      {"als", {}}, {"als", {{"implicit", "true"}}},       {"mf", {{"loss", "bpr"}}},
      {"ccd", {}}, {"ccd", {{"schedule", "round_robin"}}}};
  for (const auto& [app, given] : jobs) {
    choose(app);
    expect_one_model(job(with(given, {{"rank", "4"}, {"shards", "3"}, {"valid", "given"}}), ratings, {held_out}));
  }
}

TEST_F(MfPacked, Labels) {
  choose("mf");
  const Given options{{"loss", "logistic"}, {"rank", "2"}, {"shards", "2"}};
  expect_one_model(job(options, files.write("labels", "a x 1\nb x 0\na y -1\nc y 1\n")));
  const Job same = packed_job(job(options, files.write("same", "a x 1\nb x 1\n")));
  EXPECT_EQ(refusal<DataError>(same), "index: all labels are the same");
}

TEST_F(MfPacked, BytesThatChanged) {
  const std::string ratings = files.write("ratings", kRatings), held_out = files.write("valid", kHeldOut);
  for (const char* const app : {"mf", "als"}) {
    choose(app);
    expect_flips_are_borne(job({{"shards", "2"}, {"valid", "given"}}, ratings, {held_out}));
  }
}

}  // namespace
}  // namespace rota::tests
