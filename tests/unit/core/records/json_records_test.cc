#include "core/records/json_records.h"

#include <algorithm>

#include "core/base/json_text.h"

namespace rota {
namespace {

CommitRecord sample() {
  CommitRecord record;
  record.epoch = 12;
  record.next_round = 345;
  record.seconds = 0.1 + 0.2;
  record.items = 6789;
  record.ends_job = true;
  record.job = {1, ~std::uint64_t{0}};
  record.app = "ld\xe9";
  record.input = {11, 12};
  record.valid = {13, 14};
  record.record.epoch = 12;
  record.record.evaluated = true;
  record.record.objective = -1.0 / 3;
  record.record.valid = 0.7;
  record.record.converged = false;
  record.record.terms = {{"loss", 0.1}, {"penalty", 1e-300}};
  record.record.figures = {{"drawn", 40}};
  record.record.items_unit = "tokens";
  record.record.workers = {{1.5, 0.125, 0.5, 0, 3000, 5000}, {2, 0, 0, 0, 4000, 4000}};
  record.record.slowest = "worker-1";
  record.model_hash = {3, 4};
  record.state_hash = {5, 6};
  record.files = {{"epoch-00000012/partition-0.era-3.sst", 1000, {7, 8}},
                  {"epoch-00000012/partition-1.era-3.sst", 2000, {9, 10}}};
  record.objects = {{"s3://bucket/rows", 3000, {11, 12}}};
  return record;
}

bool same(const CommitRecord& a, const CommitRecord& b) {
  const auto same_file = [](const HashedFile& x, const HashedFile& y) {
    return x.file == y.file && x.bytes == y.bytes && x.hash == y.hash;
  };
  return to_json(a.record) == to_json(b.record) && a.app == b.app && a.input == b.input && a.valid == b.valid &&
         a.epoch == b.epoch && a.next_round == b.next_round && a.seconds == b.seconds && a.items == b.items &&
         a.ends_job == b.ends_job && a.job == b.job && a.model_hash == b.model_hash && a.state_hash == b.state_hash &&
         std::ranges::equal(a.files, b.files, same_file) && std::ranges::equal(a.objects, b.objects, same_file);
}

TEST(JsonRecords, ACommitRecordComesBack) {
  for (const bool ends_job : {false, true}) {
    CommitRecord record = sample();
    record.ends_job = ends_job;
    const auto back = commit_from_text(commit_to_text(record));
    ASSERT_TRUE(back.ok()) << back.status().what();
    EXPECT_TRUE(same(*back, record));
  }
  CommitRecord largest = sample();
  largest.epoch = ~Epoch{0};
  largest.next_round = largest.items = kMostCounted;
  largest.files.clear();
  const auto largest_back = commit_from_text(commit_to_text(largest));
  ASSERT_TRUE(largest_back.ok()) << largest_back.status().what();
  EXPECT_TRUE(same(*largest_back, largest));
}

// With a valid checksum, as another program might write it.
TEST(JsonRecords, AMissingFieldOrAnotherTypeIsRefused) {
  auto whole = nlohmann::ordered_json::parse(commit_to_text(sample()));
  whole.erase("format");
  whole.erase("check");
  const auto code = [](const nlohmann::ordered_json& json) {
    return commit_from_text(seal(json, kCommitFormat)).status().code();
  };
  ASSERT_EQ(code(whole), ExitCode::ok);
  for (const auto& [name, value] : whole.items()) {
    if (name == "ends_job" || name == "seconds") continue;
    auto json = whole;
    json.erase(name);
    EXPECT_EQ(code(json), name == "objects" ? ExitCode::ok : ExitCode::disk) << name;  // data may be in files alone
    for (const char* other : {"null", "{}", "\"x\"", "-1", "1e300", "0.5", "[[[1]]]", "true"}) {
      if (name == "app" && std::string_view(other) == "\"x\"") continue;
      if (name == "facts" && std::string_view(other) == "{}") continue;  // there may be none
      json[name] = nlohmann::ordered_json::parse(other);
      EXPECT_EQ(code(json), ExitCode::disk) << name << ": " << other;
    }
  }
  auto json = whole;
  json["epoch"] = std::uint64_t{1} << 32;
  EXPECT_EQ(code(json), ExitCode::disk) << "more than an epoch can be";
  for (const char* name : {"next_round", "items"}) {
    json = whole;
    json[name] = std::uint64_t{1} << 63;
    const Status status = commit_from_text(seal(json, kCommitFormat)).status();
    EXPECT_EQ(status.what(), "damaged: " + std::string(name) + ", 9223372036854775808, cannot be");
    EXPECT_EQ(status.code(), ExitCode::disk);
  }
  json = whole;
  json["seconds"] = -1e300;
  EXPECT_EQ(code(json), ExitCode::disk) << "a run that ended before it began";
  for (const char* name : {"seconds", "ends_job"}) {
    json = whole;
    json[name] = "x";
    EXPECT_EQ(code(json), ExitCode::disk) << name;
  }
}

// A record could name any file of the system.
TEST(JsonRecords, AFileThatIsNotOfTheEpochIsRefused) {
  for (const char* name :
       {"../epoch-00000012/partition-0.era-3.sst", "/etc/passwd", "epoch-00000012/../partition-0.era-3.sst",
        "partition-0.sst", "epoch-00000011/partition-0.era-3.sst", "epoch-00000012/partition-1.era-3.sst",
        "epoch-00000012/partition-0.era-.sst", "epoch-00000012/partition-0.era-03.sst",
        "epoch-00000012/partition-0.era-3.sst.unfinished", "", "epoch-00000012/"}) {
    CommitRecord record = sample();
    record.files[0].file = name;
    EXPECT_EQ(commit_from_text(commit_to_text(record)).status().code(), ExitCode::disk) << name;
  }
}

TEST(JsonRecords, AnEpochAsUsersReadIt) {
  EpochRecord record;
  record.epoch = 3;
  record.epochs = 10;
  record.items = 50;
  record.items_unit = "tokens";
  record.workers = {{1.5, 0.125, 0.5, 10, 3000, 5000}, {2, 0.25, 0, 20, 4000, 4000}};
  record.slowest = "worker-1";
  auto json = to_json(record);
  EXPECT_EQ(json["epoch"], 3);
  EXPECT_EQ(json["epochs"], 10);
  EXPECT_EQ(json["items_unit"], "tokens");
  EXPECT_EQ(json["workers"], 2);
  EXPECT_EQ(json["compute_seconds"], (nlohmann::json{1.5, 2.0}));
  EXPECT_EQ(json["wire_seconds"], (nlohmann::json{0.125, 0.25}));
  EXPECT_EQ(json["wait_seconds"], (nlohmann::json{0.5, 0.0}));
  EXPECT_EQ(json["memory_bytes"], (nlohmann::json{3000, 4000}));
  EXPECT_EQ(json["peak_memory_bytes"], (nlohmann::json{5000, 4000}));
  EXPECT_FALSE(json.contains("objective")) << "it was not evaluated";
  EXPECT_FALSE(json.contains("schedule")) << "it has no figures";
  record.evaluated = true;
  record.objective = -4.5;
  record.terms = {{"loss", 1}, {"penalty", 2}};
  record.figures = {{"drawn", 40}};
  json = to_json(record);
  EXPECT_EQ(json["objective"], -4.5);
  EXPECT_EQ(json["terms"]["penalty"], 2);
  EXPECT_EQ(json["schedule"]["drawn"], 40);
}

}  // namespace
}  // namespace rota
