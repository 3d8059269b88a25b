// Ten objects for two partitions, of which one is in another process.

#include "tests/unit/core/runtime/node_stage.h"
#include "worker/epoch_work.h"

namespace rota::saving {
namespace {

constexpr NodeId kWorker{Role::worker, 0};
constexpr NodeId kPartitions[] = {{Role::partition, 0}, {Role::partition, 1}};

class SavingObjects : public ::testing::Test, protected tests::NodeStage {
 protected:
  SavingObjects() : NodeStage(kWorker) { hold_work = true; }

  // `apart`: between their numbers; 2 if all are for one partition.
  void begin(std::size_t bytes, std::uint32_t at_once, Credit credit, std::uint64_t apart = 1) {
    std::vector<Saving::Piece> pieces;
    for (std::uint64_t id = 0; id < 10; ++id)
      pieces.push_back({Object::slice, id * apart, [this, bytes]() -> Result<Bytes> {
                          ++encoded_;
                          if (fails_) return Status(ExitCode::failed, "no");
                          return Bytes::from(std::vector<std::byte>(bytes));
                        }});
    saving_ = std::make_unique<Saving>(7, std::move(pieces), Saving::Limits{2, at_once, credit, credit.bytes});
    ASSERT_TRUE(tick().ok());
  }
  Status tick() {
    return act([&](Outbox& out) { saving_->go_on(out); });
  }
  // Completes all work, also that which it starts; returns the number of objects put so far.
  std::size_t put_now() {
    EXPECT_TRUE(finish_work().ok());
    return sent<Put>(kPartitions[0]).size() + sent<Put>(kPartitions[1]).size();
  }

  std::unique_ptr<Saving> saving_;
  int encoded_ = 0;
  bool fails_ = false;
};

TEST_F(SavingObjects, ObjectsAreSentWhileThereIsCredit) {
  begin(10, 4, {});
  EXPECT_FALSE(saving_->done());
  EXPECT_EQ(put_now(), 10U);
  EXPECT_TRUE(saving_->done());
  ASSERT_EQ(sent<Saved>(kCoordinator).size(), 1U);
  EXPECT_EQ(sent<Saved>(kCoordinator)[0].epoch, 7U);
  EXPECT_TRUE(std::holds_alternative<Saved>(envelopes.back().message)) << "after the last PUT";
  for (const std::uint32_t p : {0U, 1U})
    for (const Put& put : sent<Put>(kPartitions[p])) {
      EXPECT_EQ(put.id % 2, p);
      EXPECT_EQ(put.epoch, 7U);
      EXPECT_EQ(put.hash, hash128(put.bytes.view()));
    }
  ASSERT_TRUE(tick().ok());
  EXPECT_EQ(sent<Saved>(kCoordinator).size(), 1U) << "once";
}

// All were encoded at once: more than 4 GiB for one process ended the run.
TEST_F(SavingObjects, NoObjectIsEncodedWithoutCredit) {
  begin(10, 4, {.bytes = 100});
  waiting[kPartitions[1]] = 100;
  EXPECT_EQ(put_now(), 5U);
  EXPECT_TRUE(sent<Put>(kPartitions[1]).empty());
  EXPECT_EQ(encoded_, 5);
  EXPECT_TRUE(sent<Saved>(kCoordinator).empty());
  waiting[kPartitions[1]] = 0;
  ASSERT_TRUE(tick().ok());
  EXPECT_EQ(put_now(), 10U);
}

TEST_F(SavingObjects, ObjectsAsLargeAsTheCreditAreEncodedOneByOne) {
  begin(100, 4, {.bytes = 100}, 2);
  for (std::size_t i = 1; i <= 10; ++i) {
    hold_work = true;
    EXPECT_EQ(put_now(), i) << "the next one counts the last as unacknowledged";
    EXPECT_EQ(encoded_, static_cast<int>(i));
    ASSERT_TRUE(act([&](Outbox& out) { saving_->stored({7, 100}, out); }).ok());
  }
  EXPECT_TRUE(saving_->done());
}

// Objects also wait for the partition's disk, which the link does not see.
TEST_F(SavingObjects, UnstoredObjectsCountAgainstTheCredit) {
  begin(10, 1, {.bytes = 25});
  EXPECT_EQ(put_now(), 3U);
  const auto store = [&](Epoch epoch, std::uint64_t bytes) {
    return act([&](Outbox& out) { saving_->stored({epoch, bytes}, out); });
  };
  ASSERT_TRUE(tick().ok());
  EXPECT_EQ(put_now(), 3U);
  ASSERT_TRUE(store(6, 30).ok());
  EXPECT_EQ(put_now(), 3U) << "that was of the checkpoint before";
  ASSERT_TRUE(store(7, 10).ok());
  EXPECT_EQ(put_now(), 4U);
  ASSERT_TRUE(store(7, 30).ok());
  EXPECT_EQ(put_now(), 7U);
  EXPECT_FALSE(saving_->done());
  ASSERT_TRUE(store(7, 100).ok());
  EXPECT_EQ(put_now(), 10U);
  EXPECT_TRUE(saving_->done());
}

TEST_F(SavingObjects, AnObjectThatCannotBeMadeIsAnError) {
  fails_ = true;
  begin(10, 4, {});
  EXPECT_EQ(finish_work().what(), "no");
}

}  // namespace
}  // namespace rota::saving
