#include "core/checkpoint/newest_commit.h"

#include "core/base/file_hash.h"
#include "core/base/json_text.h"
#include "core/records/json_records.h"
#include "core/records/run_recorder.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

constexpr Hash128 kJob{1, 2};

class NewestCommit : public TemporaryFolder {
 protected:
  static void put(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  // An epoch with two files, committed.
  void commit(Epoch epoch, const Hash128& job = kJob, std::optional<Epoch> best = {}) {
    CommitRecord record;
    record.epoch = epoch;
    record.next_round = 10 * epoch;
    record.job = job;
    if (best) record.record.best = BestSoFar{*best, 0.5, epoch - *best};
    for (std::uint32_t p = 0; p < 2; ++p) {
      const auto path = run().checkpoint(epoch) / RunFolder::partition_file(p);
      put(path, "epoch " + std::to_string(epoch) + ", partition " + std::to_string(p));
      const auto measured = hash_file(path);
      ASSERT_TRUE(measured.ok());
      record.files.push_back(
          {std::filesystem::relative(path, run().checkpoint()).string(), measured->bytes, measured->hash});
    }
    put(run().checkpoint(epoch) / RunFolder::kCommitRecord, commit_to_text(record));
  }
  RunFolder run() const { return {folder}; }
  // The epoch that is found, or the exit code.
  Epoch found(const Hash128& job = kJob) {
    const auto record = newest_commit(run(), job);
    EXPECT_TRUE(record.ok()) << record.status().what();
    return record.ok() ? record->newest.epoch : 0;
  }
};

TEST_F(NewestCommit, IsTheOneWithTheHighestEpoch) {
  for (const Epoch epoch : {9U, 10U, 2U}) commit(epoch);
  EXPECT_EQ(found(), 10U);
  EXPECT_EQ(newest_commit(run(), kJob)->newest.next_round, 100U);
}

TEST_F(NewestCommit, IsNoneInANewRun) {
  EXPECT_EQ(newest_commit(run(), kJob).status().code(), ExitCode::no_input);
  std::filesystem::create_directories(run().checkpoint(5));
  put(run().checkpoint(5) / RunFolder::partition_file(0), "not committed");
  EXPECT_EQ(newest_commit(run(), kJob).status().code(), ExitCode::no_input);
}

TEST_F(NewestCommit, PassesOverAnEpochWithADamagedFile) {
  commit(3);
  commit(4);
  for (const std::uint32_t p : {0U, 1U}) {
    const auto path = run().checkpoint(4) / RunFolder::partition_file(p);
    const std::string whole = "epoch 4, partition " + std::to_string(p);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] ^= 1;
      put(path, damaged);
      EXPECT_EQ(found(), 3U) << at;
    }
    put(path, whole.substr(1));
    EXPECT_EQ(found(), 3U) << "truncated";
    put(path, whole + "x");
    EXPECT_EQ(found(), 3U) << "grown";
    std::filesystem::remove(path);
    EXPECT_EQ(found(), 3U) << "missing";
    put(path, whole);
    EXPECT_EQ(found(), 4U) << "whole again";
  }
}

TEST_F(NewestCommit, PassesOverAnEpochWithADamagedRecord) {
  commit(3);
  commit(4);
  const auto path = run().checkpoint(4) / RunFolder::kCommitRecord;
  const std::string whole = read(path);
  for (const std::string& damaged : {std::string(), std::string("{}"), whole.substr(0, whole.size() / 2)}) {
    put(path, damaged);
    EXPECT_EQ(found(), 3U);
  }
  std::string another_round = whole;
  another_round.replace(another_round.find("40"), 2, "41");
  put(path, another_round);
  EXPECT_EQ(found(), 3U);
}

TEST_F(NewestCommit, BringsTheBestEpochAlong) {
  commit(2, kJob, 2);
  commit(5, kJob, 2);
  commit(6, kJob, 6);
  EXPECT_EQ(newest_commit(run(), kJob)->best->epoch, 6U);
  std::filesystem::remove(run().checkpoint(6) / RunFolder::kCommitRecord);
  EXPECT_EQ(found(), 5U);
  EXPECT_EQ(newest_commit(run(), kJob)->best->epoch, 2U);
  commit(7);
  EXPECT_FALSE(newest_commit(run(), kJob)->best) << "one without patience has none";
}

// Otherwise the job would end without its best model.
TEST_F(NewestCommit, PassesOverAnEpochWhoseBestOneIsDamaged) {
  commit(1);
  commit(2, kJob, 2);
  commit(5, kJob, 2);
  std::filesystem::remove(run().checkpoint(2) / RunFolder::partition_file(1));
  EXPECT_EQ(found(), 1U);
}

// The run started over without a message.
TEST_F(NewestCommit, WithoutAUsableOneAllReasonsAreNamed) {
  commit(3);
  commit(4);
  const auto missing = run().checkpoint(3) / RunFolder::partition_file(1);
  std::filesystem::remove(missing);
  const auto record = run().checkpoint(4) / RunFolder::kCommitRecord;
  put(record, "{}");
  const Status status = newest_commit(run(), kJob).status();
  EXPECT_EQ(status.code(), ExitCode::disk);
  const std::string& what = status.what();
  EXPECT_TRUE(what.starts_with("no checkpoint of " + folder.string() + " can be used: " + record.string())) << what;
  EXPECT_NE(what.find("; cannot open " + missing.string()), std::string::npos) << what;
  EXPECT_TRUE(what.ends_with("; start a new run")) << what;
}

TEST_F(NewestCommit, OfAnotherVersionOfRotaIsSaidToBe) {
  for (const Epoch epoch : {3U, 4U})
    put(run().checkpoint(epoch) / RunFolder::kCommitRecord, seal(to_json(CommitRecord{}), kCommitFormat + 1));
  EXPECT_EQ(newest_commit(run(), kJob).status().code(), ExitCode::wrong_version);
  put(run().checkpoint(4) / RunFolder::kCommitRecord, "{}");
  EXPECT_EQ(newest_commit(run(), kJob).status().code(), ExitCode::disk);
}

TEST_F(NewestCommit, OfOtherOptionsIsRefusedRatherThanPassedOver) {
  commit(3);
  commit(4, {1, 3});
  const auto record = newest_commit(run(), kJob);
  ASSERT_FALSE(record.ok());
  EXPECT_EQ(record.status().code(), ExitCode::usage);
  EXPECT_NE(record.status().what().find("other options"), std::string::npos) << record.status().what();
}

}  // namespace
}  // namespace rota
