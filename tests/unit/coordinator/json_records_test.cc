// tests/unit/coordinator/json_records_test.cc
#include "coordinator/json_records.h"

#include <gtest/gtest.h>

#include <random>

namespace rota {
namespace {

CommitRecord sample() {
  CommitRecord record;
  record.epoch = 12;
  record.next_round = 345;
  record.seconds = 0.1 + 0.2;
  record.items = 6789;
  record.job = {1, ~std::uint64_t{0}};
  record.model_hash = {3, 4};
  record.state_hash = {5, 6};
  record.files = {{"epoch-00000012/partition-0.sst", 1000, {7, 8}}, {"epoch-00000012/partition-1.sst", 2000, {9, 10}}};
  return record;
}

bool same(const CommitRecord& a, const CommitRecord& b) {
  const auto same_file = [](const CommittedFile& x, const CommittedFile& y) {
    return x.file == y.file && x.bytes == y.bytes && x.hash == y.hash;
  };
  return a.epoch == b.epoch && a.next_round == b.next_round && a.seconds == b.seconds && a.items == b.items &&
         a.job == b.job && a.model_hash == b.model_hash && a.state_hash == b.state_hash &&
         std::equal(a.files.begin(), a.files.end(), b.files.begin(), b.files.end(), same_file);
}

TEST(JsonRecords, ACommitRecordComesBack) {
  const auto back = commit_from_json(commit_to_text(sample()));
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(same(*back, sample()));
  CommitRecord largest = sample();
  largest.epoch = ~Epoch{0};
  largest.next_round = largest.items = ~std::uint64_t{0};
  largest.files.clear();
  const auto largest_back = commit_from_json(commit_to_text(largest));
  ASSERT_TRUE(largest_back.has_value());
  EXPECT_TRUE(same(*largest_back, largest));
}

// A digit that changed on the disk made a resumed run go on with other random numbers.
TEST(JsonRecords, NoChangedByteGivesAnotherRecord) {
  const std::string text = commit_to_text(sample());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const unsigned change : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 255U}) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(change));
      const auto record = commit_from_json(damaged);
      if (record) {
        EXPECT_TRUE(same(*record, sample())) << damaged;
      } else {
        ++refused;
      }
    }
  // Only spaces between words may change, to other spaces.
  EXPECT_GT(refused, text.size() * 8);
}

TEST(JsonRecords, EveryTruncationIsRefused) {
  const std::string text = commit_to_text(sample());
  for (std::size_t size = 0; size + 2 < text.size(); ++size)
    EXPECT_FALSE(commit_from_json(text.substr(0, size)).has_value()) << size;
}

// The fields as they are, but for one: with a checksum that is right for what a reader would make of it.
TEST(JsonRecords, AMissingFieldOrAnotherTypeIsRefused) {
  const auto whole = nlohmann::ordered_json::parse(commit_to_text(sample()));
  for (const auto& [name, value] : whole.items()) {
    auto json = whole;
    json.erase(name);
    EXPECT_FALSE(commit_from_json(json.dump()).has_value()) << name;
    for (const char* other : {"null", "{}", "[]", "\"x\"", "-1", "1e300", "0.5", "[[[1]]]", "true", "99999999999999"}) {
      json[name] = nlohmann::ordered_json::parse(other);
      const auto record = commit_from_json(json.dump());
      EXPECT_FALSE(record.has_value()) << name << ": " << other;
    }
  }
  EXPECT_TRUE(commit_from_json(whole.dump()).has_value()) << "laid out otherwise, it is the same record";
}

TEST(JsonRecords, GarbageIsRefused) {
  for (const char* text : {"", "null", "[]", "{}", "7", "\"\"", "{\"format\": 1}", "{\"format\": \"1\"}", "\xff\xfe"})
    EXPECT_FALSE(commit_from_json(text).has_value()) << text;
  EXPECT_FALSE(commit_from_json(std::string(100000, '[')).has_value());
}

TEST(JsonRecords, AnEpochAsUsersReadIt) {
  EpochRecord record;
  record.epoch = 3;
  record.epochs = 10;
  record.items = 50;
  record.items_unit = "tokens";
  record.workers = {{1.5, 0.5, 10}, {2, 0, 20}};
  record.slowest = "worker-1";
  auto json = to_json(record);
  EXPECT_EQ(json["epoch"], 3);
  EXPECT_EQ(json["epochs"], 10);
  EXPECT_EQ(json["items_unit"], "tokens");
  EXPECT_EQ(json["workers"], 2);
  EXPECT_EQ(json["compute_seconds"], (nlohmann::json{1.5, 2.0}));
  EXPECT_EQ(json["wait_seconds"], (nlohmann::json{0.5, 0.0}));
  EXPECT_FALSE(json.contains("objective")) << "it was not evaluated";
  record.evaluated = true;
  record.objective = -4.5;
  record.terms = {{"loss", 1}, {"penalty", 2}};
  json = to_json(record);
  EXPECT_EQ(json["objective"], -4.5);
  EXPECT_EQ(json["terms"]["penalty"], 2);
}

}  // namespace
}  // namespace rota
