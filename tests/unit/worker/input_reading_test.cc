#include "worker/input_reading.h"

#include "core/base/file_hash.h"
#include "rota/error.h"
#include "tests/unit/core/runtime/node_stage.h"

namespace rota {
namespace {

class CountingPush final : public SlicePush<Slice> {
 public:
  explicit CountingPush(ShardId shard) : shard_(shard) {}
  std::uint64_t items() const override { return 10 + shard_; }
  std::uint64_t push(const SliceTask&, Slice&, Random&) override { return 0; }
  void facts(Facts& facts) const override { facts.add("rows", shard_); }
  void census(Census& census) const override { census.resize(6), census[shard_] = 1; }

 private:
  ShardId shard_;
};

class CountingApp final : public App {
 public:
  CountingApp(std::size_t lost, bool fails) : lost_(lost), fails_(fails) {}
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    if (fails_) throw DataError("numbers.txt", 3, "not a number");
    std::vector<std::unique_ptr<Push>> all;
    for (const ShardId shard : hosted.subspan(lost_)) all.push_back(std::make_unique<CountingPush>(shard));
    return all;
  }
  std::vector<Table> tables(const Facts&) const override { return {}; }
  std::vector<Term> terms() const override { return {{"sum"}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override { return nullptr; }

 private:
  std::size_t lost_;
  bool fails_;
};

class ReadingInput : public ::testing::Test, protected tests::NodeStage {
 protected:
  ReadingInput() : NodeStage({Role::worker, 1}) {
    plugin_.name = "counting";
    plugin_.items = "numbers";
    plugin_.epochs = 7;
    std::ofstream(file_) << "some content";
  }
  Status read(std::size_t lost, bool fails) {
    Job job;
    job.input = {file_};
    app_ = std::make_shared<HostedApp>(HostedApp{plugin_, job, std::make_unique<CountingApp>(lost, fails), packed_});
    reading_ = std::make_unique<InputReading>("worker-1");
    return act([&](Outbox& out) {
      reading_->begin(app_, {3, 4}, out, [&](std::map<ShardId, ReadShard> shards, Outbox&) -> Status {
        given_.push_back(std::move(shards));
        return {};
      });
      return Status();
    });
  }

  const std::string file_ = ::testing::TempDir() + "/input_reading.txt";
  Plugin plugin_;
  std::shared_ptr<const PackedFolder> packed_;
  std::shared_ptr<HostedApp> app_;
  std::unique_ptr<InputReading> reading_;
  std::vector<std::map<ShardId, ReadShard>> given_;
};

TEST_F(ReadingInput, GivesTheShardsAndTheReport) {
  ASSERT_TRUE(read(0, false).ok());
  EXPECT_EQ(io_works, 1U) << "the content is hashed by the thread of files";
  ASSERT_EQ(given_.size(), 1U);
  ASSERT_EQ(given_[0].size(), 2U);
  std::vector<ReadShard> shards;
  for (auto& [id, shard] : given_[0]) shards.push_back(std::move(shard));
  const auto made = loaded_message("worker-1", *app_, *reading_->contents(), shards);
  ASSERT_TRUE(made.ok());
  const Loaded& report = *made;
  EXPECT_EQ(report.app, "counting");
  EXPECT_EQ(report.items_unit, "numbers");
  EXPECT_EQ(report.epochs, 7U);
  EXPECT_EQ(report.items, (std::vector<std::uint64_t>{13, 14}));
  EXPECT_EQ(report.census, (Census{0, 0, 0, 1, 1, 0}));
  ASSERT_EQ(report.facts.size(), 2U);
  EXPECT_EQ(report.facts[1][0].values, std::vector<double>{4});
  ASSERT_EQ(report.terms.size(), 1U);
  EXPECT_EQ(report.input, *hash_contents(app_->job.input));
  EXPECT_EQ(report.valid, *hash_contents({}));
}

TEST_F(ReadingInput, ContentsThatAreKnownAreNotReadAgain) {
  ASSERT_TRUE(read(0, false).ok());
  const auto contents = reading_->contents();
  reading_ = std::make_unique<InputReading>("worker-1", contents);
  ASSERT_TRUE(act([&](Outbox& out) {
                reading_->begin(app_, {5}, out, [&](std::map<ShardId, ReadShard> shards, Outbox&) -> Status {
                  given_.push_back(std::move(shards));
                  return {};
                });
                EXPECT_TRUE(reading_->reads());
                return Status();
              }).ok());
  EXPECT_EQ(io_works, 1U);
  ASSERT_EQ(given_.size(), 2U);
  EXPECT_TRUE(given_[1].contains(5));
  EXPECT_FALSE(reading_->reads());
}

TEST_F(ReadingInput, OfDataByShardTheContentsAreThoseOfItsIndex) {
  PackedIndex index;
  index.input = {1, 2};
  index.valid = {3, 4};
  packed_ = std::make_shared<const PackedFolder>("/no/such", index);
  ASSERT_TRUE(read(0, false).ok());
  ASSERT_EQ(given_.size(), 1U);
  EXPECT_EQ(reading_->contents()->input, (Hash128{1, 2}));
  EXPECT_EQ(reading_->contents()->valid, (Hash128{3, 4}));
}

TEST_F(ReadingInput, NothingIsGivenBeforeBothAreDone) {
  hold_work = true;
  ASSERT_TRUE(read(0, false).ok());
  EXPECT_TRUE(given_.empty());
  ASSERT_TRUE(finish_work().ok());
  EXPECT_EQ(given_.size(), 1U);
}

TEST_F(ReadingInput, ErrorsOfDataAndPluginAreReported) {
  const Status bad = read(0, true);
  EXPECT_EQ(bad.code(), ExitCode::bad_data);
  EXPECT_NE(bad.what().find("numbers.txt:3"), std::string::npos) << bad.what();
  const Status few = read(1, false);
  EXPECT_EQ(few.code(), ExitCode::failed);
  EXPECT_NE(few.what().find("load made 1 shards, wanted were 2"), std::string::npos) << few.what();
  EXPECT_TRUE(given_.empty());
}

}  // namespace
}  // namespace rota
