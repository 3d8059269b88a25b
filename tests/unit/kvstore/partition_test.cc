#include "kvstore/partition.h"

#include "tests/sim/memory_checkpoints.h"
#include "tests/unit/core/job/empty_app.h"
#include "tests/unit/core/runtime/node_stage.h"
#include "tests/unit/core/wire/round_messages.h"

namespace rota::partition {
namespace {

using tests::bytes_of;
using tests::expect_of;
using tests::numbers_of;
using tests::parts_of;
using tests::text_of;

constexpr NodeId kSelf{Role::partition, 0};
constexpr NodeId kWorkers[] = {{Role::worker, 0}, {Role::worker, 1}};
constexpr NodeId kSchedulers[] = {{Role::scheduler, 0}, {Role::scheduler, 1}};
constexpr TableId kSums = 0, kRows = 1, kTalks = 2, kDense = 3;

// The arguments of the plugin's pull, and its reply; reset for each test.
struct Play {
  std::string reply;
  ReplyTo reply_to = ReplyTo::all;
  std::vector<RoundId> rounds;
  std::vector<std::string> notes;
  std::vector<std::uint32_t> blocks;
  std::vector<double> argument;
  std::vector<std::vector<double>> sums;  // of the rows
};
Play play;

class CountingPull final : public AddPull {
 public:
  void pull(const PullTask& task) override {
    ++pulls_;
    play.rounds.push_back(task.round);
    play.notes.clear();
    for (const Bytes& note : task.notes) play.notes.push_back(text_of(note));
    play.blocks.assign(task.blocks.begin(), task.blocks.end());
    if (!task.argument.empty()) play.argument = task.argument.as<std::vector<double>>();
    play.sums.clear();
    for (const PullEntry& entry : task.entries) play.sums.emplace_back(entry.sum.begin(), entry.sum.end());
    task.reply.append(play.reply.data(), play.reply.size());
    task.reply_to = play.reply_to;
    AddPull::pull(task);
  }
  void evaluate(TableId, Key, std::span<const double> value, Terms terms) const override { terms["sum"] += value[0]; }
  void state(Archive& list) override { list(pulls_); }

 private:
  std::uint64_t pulls_ = 0;
};

struct CountingApp final : tests::EmptyApp {
  std::vector<Table> tables(const Facts& facts) const override {
    return {{"sums", Table::Kind::shared, facts.count("rows"), 1, 1},
            {"rows", Table::Kind::sliced, 4, 0, 0},
            {"talks", Table::Kind::shared, 10, 1, 1, 1, true},
            {.name = "dense", .keys = 10, .row_width = 1, .part_width = 1, .dense = true}};
  }
  std::vector<Term> terms() const override { return {{"sum", Term::Kind::report}}; }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<CountingPull>(); }
};

const JobFacts kFacts{{{"rows", Fact::Kind::sum, {10}}}, {}};

// Two shards, one in each of two workers; two schedulers.
class PartitionNode : public ::testing::Test, protected tests::NodeStage {
 protected:
  PartitionNode()
      : NodeStage(kSelf), store_(std::make_shared<sim::MemoryCheckpoints>(std::make_shared<sim::MemoryDisk>())) {
    start();
    shape();
    forget();
  }
  void shape() { EXPECT_TRUE(receive(kCoordinator, kFacts).ok()); }
  // A new start of the partition, over the same disk.
  void start(std::uint32_t index = 0, std::uint32_t partitions = 1) {
    play = {};
    JobConfig job;
    job.shards = job.schedulers = 2;
    job.partitions = partitions;
    partition_ = std::make_unique<Partition>(PartitionSettings{index, {0, 1}, credit_},
                                             *host_app(tests::plugin_of<CountingApp>("counting"), job), store_);
    forget();
  }
  Status receive(NodeId from, const Message& message) { return NodeStage::receive(*partition_, from, message); }
  Status resume() {
    start();
    Welcome resumed;
    resumed.resume = 1;
    ROTA_TRY(receive(kCoordinator, resumed));
    return receive(kCoordinator, kFacts);
  }
  static Put put(Epoch epoch, Object object, std::uint64_t id) {
    const Bytes bytes = Bytes::from({static_cast<std::byte>(id)});
    return {epoch, object, id, hash128(bytes.view()), bytes};
  }

  Status tick() {
    return act([&](Outbox& out) { return partition_->tick(out); });
  }
  // A checkpoint of epoch 1 with these rows of a table, every value ten times its key, and two slices.
  void store(std::vector<Key> keys) {
    sim::MemoryCheckpoints& disk = *store_;
    Rows rows(CountingApp().tables(Facts(kFacts.facts)));
    for (const Key key : keys) rows.row(kSums, key)[0] = 10.0 * static_cast<double>(key);
    std::string file;
    Writer pulls;
    pulls.put(std::uint64_t{0});
    const Put pull{1, Object::pull, 0, {}, Bytes::from(pulls.take())};
    const std::vector<Put> all = {put(1, Object::slice, 0), put(1, Object::slice, 1), pull};
    ASSERT_TRUE(disk.write(1, 0, {all, rows}, file).ok());
  }

  Credit credit_;
  std::shared_ptr<sim::MemoryCheckpoints> store_;
  std::unique_ptr<Partition> partition_;
};

TEST_F(PartitionNode, CommitsARoundAndSendsItToAllWorkers) {
  start();
  ASSERT_TRUE(receive(kCoordinator, Welcome{}).ok());
  EXPECT_TRUE(sent<Ready>(kCoordinator).empty()) << "it has not received the tables yet";
  shape();
  EXPECT_EQ(sent<Ready>(kCoordinator).size(), 1U);
  ASSERT_TRUE(receive(kCoordinator, expect_of(1, {7, 2})).ok());
  ASSERT_TRUE(receive(kWorkers[0], parts_of(1, {0, 0}, {1, 2})).ok());
  EXPECT_TRUE(sent<Deltas>(kWorkers[0]).empty());
  ASSERT_TRUE(receive(kCoordinator, Evaluate{1}).ok());
  EXPECT_TRUE(sent<Evaluated>(kCoordinator).empty()) << "a round is not committed";
  ASSERT_TRUE(receive(kWorkers[1], parts_of(1, {0, 1}, {10, 20})).ok());
  for (const NodeId to : kWorkers) {
    const auto deltas = sent<Deltas>(to);
    ASSERT_EQ(deltas.size(), 1U);
    EXPECT_EQ(deltas[0].rows.round, 1U);
    EXPECT_EQ(deltas[0].rows.keys, (std::vector<Key>{7, 2}));
    EXPECT_EQ(numbers_of(deltas[0].values), (std::vector<double>{11, 22}));
  }
  for (const NodeId to : kSchedulers) EXPECT_TRUE(sent<RoundFeedback>(to).empty()) << "none is requested";
  EXPECT_EQ(sent<Evaluated>(kCoordinator).at(0).rows, (std::vector<double>{33}));
}

TEST_F(PartitionNode, FeedbackGoesToTheSchedulerOfTheRound) {
  ASSERT_TRUE(receive(kCoordinator, expect_of(4, {7})).ok());
  ASSERT_TRUE(receive(kWorkers[0], parts_of(4, {1, 0}, {1})).ok());
  forget();
  Expect expect = expect_of(5, {7});
  expect.awaited_by = AwaitedBy{1, 3};
  ASSERT_TRUE(receive(kCoordinator, expect).ok());
  ASSERT_TRUE(receive(kWorkers[0], parts_of(5, {1, 0}, {4})).ok());
  EXPECT_TRUE(sent<RoundFeedback>(kSchedulers[0]).empty());
  const auto feedback = sent<RoundFeedback>(kSchedulers[1]);
  ASSERT_EQ(feedback.size(), 1U);
  EXPECT_EQ(feedback[0].round, 3U);
  EXPECT_EQ(numbers_of(feedback[0].values), (std::vector<double>{5}));
  EXPECT_EQ(numbers_of(feedback[0].changes), (std::vector<double>{4})) << "it was 1";
  EXPECT_EQ(sent<Deltas>(kWorkers[0]).at(0).rows.round, 5U);
  expect.rows.round = 6;
  expect.awaited_by = AwaitedBy{2, 4};
  ASSERT_TRUE(receive(kCoordinator, expect).ok());
  EXPECT_EQ(receive(kWorkers[0], parts_of(6, {1, 0}, {4})).code(), ExitCode::bug) << "there is no scheduler 2";
}

TEST_F(PartitionNode, ASchedulerGetsOnlyTheFeedbackItWants) {
  for (const Feedback wish : {Feedback::norms, Feedback::reply}) {
    const RoundId round = wish == Feedback::norms ? 1 : 2;
    Expect expect = expect_of(round, {7, 2});
    expect.awaited_by = AwaitedBy{1, round, wish};
    ASSERT_TRUE(receive(kCoordinator, expect).ok());
    ASSERT_TRUE(receive(kWorkers[0], parts_of(round, {1, 0}, {3, -4})).ok());
    ASSERT_EQ(sent<RoundFeedback>(kSchedulers[1]).size(), round);
    const RoundFeedback received = sent<RoundFeedback>(kSchedulers[1]).back();
    EXPECT_EQ(received.round, round);
    EXPECT_EQ(received.norms, wish == Feedback::norms ? (ChangeNorms{7, 25, 4}) : ChangeNorms());
    EXPECT_TRUE(received.values.empty() && received.changes.empty());
    EXPECT_EQ(sent<Deltas>(kWorkers[0]).size(), round) << "workers receive all";
  }
}

TEST_F(PartitionNode, AReplyGoesToThoseItIsFor) {
  play.reply = "so be it";
  RoundId round = 0;
  for (const ReplyTo to : {ReplyTo::shards, ReplyTo::schedule}) {
    play.reply_to = to;
    Expect expect = expect_of(++round, {5}, kTalks);
    expect.awaited_by = AwaitedBy{0, round, Feedback::reply};
    ASSERT_TRUE(receive(kCoordinator, expect).ok());
    for (ShardId shard = 0; shard < 2; ++shard)
      ASSERT_TRUE(receive(kWorkers[shard], parts_of(round, {0, shard}, {1}, {""})).ok());
    const bool shards = to == ReplyTo::shards;
    EXPECT_EQ(text_of(sent<Deltas>(kWorkers[1]).back().reply), shards ? "so be it" : "");
    EXPECT_EQ(text_of(sent<RoundFeedback>(kSchedulers[0]).back().reply), shards ? "" : "so be it");
  }
}

TEST_F(PartitionNode, PullIsShownNotesBlocksAndArgumentAndItsReplyGoesToAll) {
  play.reply = "so be it";
  Expect expect = expect_of(1, {5, 3, 8}, kTalks);
  expect.rows.blocks = {2, 1};
  expect.rows.argument = Argument(std::vector<double>{0.5, 2});
  expect.awaited_by = AwaitedBy{0, 1};
  ASSERT_TRUE(receive(kCoordinator, expect).ok());
  ASSERT_TRUE(receive(kWorkers[0], parts_of(1, {0, 0}, {1, 2, 3, 4}, {"zero"})).ok());
  ASSERT_TRUE(receive(kWorkers[1], parts_of(1, {0, 1}, {10, 20, 30, 40}, {""})).ok());
  EXPECT_EQ(play.notes, (std::vector<std::string>{"zero", ""}));
  EXPECT_EQ(play.blocks, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(play.argument, (std::vector<double>{0.5, 2}));
  // The second row of a block has a number more, for the first.
  EXPECT_EQ(play.sums, (std::vector<std::vector<double>>{{11}, {22, 33}, {44}}));
  EXPECT_EQ(text_of(sent<RoundFeedback>(kSchedulers[0]).at(0).reply), "so be it");
  for (const NodeId to : kWorkers) {
    const auto deltas = sent<Deltas>(to);
    ASSERT_EQ(deltas.size(), 1U);
    EXPECT_EQ(text_of(deltas[0].reply), "so be it");
    EXPECT_TRUE(deltas[0].rows.blocks.empty() && deltas[0].rows.argument.empty()) << "workers have them already";
  }
}

TEST_F(PartitionNode, AReplyOfATableWhoseRowsAreApartIsRefused) {
  play.reply = "so be it";
  ASSERT_TRUE(receive(kCoordinator, expect_of(1, {5})).ok());
  const Status status = receive(kWorkers[0], parts_of(1, {1, 0}, {1}));
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_EQ(status.what(), "plugin counting, Pull::pull, round 1: a reply, and table sums spans partitions");
}

TEST_F(PartitionNode, OfAnOpenRoundTheFirstPartitionHasNotesAndReplies) {
  for (const std::uint32_t index : {0U, 1U}) {
    start(index, 2);
    shape();
    forget();
    const auto commit = [&](RoundId round, std::string reply) {
      play.reply = std::move(reply);
      Expect expect = expect_of(round, {}, kDense);
      expect.rows.open = true;
      ROTA_TRY(receive(kCoordinator, expect));
      Parts parts = parts_of(round, {1, 0}, {3}, {index == 0 ? "zero" : "", ""});
      parts.open = true;
      parts.runs = {{5 * index, 1}};
      return receive(kWorkers[0], parts);
    };
    ASSERT_TRUE(commit(1, index == 0 ? "so be it" : "").ok());
    EXPECT_EQ(play.notes, index == 0 ? (std::vector<std::string>{"zero", ""}) : std::vector<std::string>());
    EXPECT_EQ(text_of(sent<Deltas>(kWorkers[1]).at(0).reply), index == 0 ? "so be it" : "");
    EXPECT_EQ(commit(2, "so be it").ok(), index == 0);
  }
}

// A pull with notes may be slow, and runs on a compute thread.
TEST_F(PartitionNode, RoundsArePulledInOrder) {
  ASSERT_TRUE(receive(kCoordinator, expect_of(1, {5}, kTalks)).ok());
  ASSERT_TRUE(receive(kCoordinator, expect_of(2, {5})).ok());
  ASSERT_TRUE(receive(kCoordinator, expect_of(3, {5}, kTalks)).ok());
  hold_work = true;
  ASSERT_TRUE(receive(kWorkers[0], parts_of(1, {1, 0}, {1}, {"a note", ""})).ok());
  ASSERT_TRUE(receive(kWorkers[0], parts_of(2, {1, 0}, {1})).ok());
  ASSERT_TRUE(receive(kWorkers[0], parts_of(3, {1, 0}, {1}, {"", "another"})).ok());
  EXPECT_TRUE(play.rounds.empty()) << "the first is with the compute threads";
  ASSERT_TRUE(finish_work().ok());
  EXPECT_EQ(play.rounds, (std::vector<RoundId>{1, 2, 3}));
  std::vector<RoundId> committed;
  for (const Deltas& one : sent<Deltas>(kWorkers[0])) committed.push_back(one.rows.round);
  EXPECT_EQ(committed, (std::vector<RoundId>{1, 2, 3}));
}

TEST_F(PartitionNode, ARowThatIsNoNumberNamesPluginRoundAndRow) {
  ASSERT_TRUE(receive(kCoordinator, expect_of(3, {5})).ok());
  ASSERT_TRUE(receive(kWorkers[0], parts_of(3, {0, 0}, {std::numeric_limits<double>::max()})).ok());
  const Status status = receive(kWorkers[1], parts_of(3, {0, 1}, {std::numeric_limits<double>::max()}));
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_EQ(status.what(), "plugin counting, Pull::pull, round 3: row 5 of sums is not a finite number");
  EXPECT_TRUE(sent<Deltas>(kWorkers[0]).empty());
}

TEST_F(PartitionNode, ARoundThatBreaksTheRulesIsTheSchedulesFault) {
  EXPECT_EQ(receive(kCoordinator, expect_of(1, {0}, kRows)).what(), "schedule, round 1: table 1 is not a shared table");
  // The offsets of four billion parts would be computed.
  Expect expect = expect_of(1, {5, 3}, kTalks);
  expect.rows.blocks = {0xffffffffU};
  EXPECT_EQ(receive(kCoordinator, expect).what(), "schedule, round 1: its blocks hold another number of rows");
}

TEST_F(PartitionNode, WrongPartsNameTheirSender) {
  ASSERT_TRUE(receive(kCoordinator, expect_of(1, {5})).ok());
  EXPECT_EQ(receive(kWorkers[1], parts_of(1, {0, 1}, {1, 2})).what(),
            "parts from worker-1: round 1: parts of another size");
}

// ---- checkpoints ----

TEST_F(PartitionNode, WritesACheckpointWhenAllObjectsAreIn) {
  start();
  ASSERT_TRUE(receive(kCoordinator, Welcome{}).ok());
  EXPECT_TRUE(sent<Ready>(kCoordinator).empty()) << "it has not received the tables yet";
  shape();
  ASSERT_TRUE(receive(kWorkers[0], put(1, Object::slice, 4)).ok()) << "objects may come before SAVE";
  ASSERT_TRUE(receive(kCoordinator, Save{1, 3}).ok());
  EXPECT_TRUE(sent<Written>(kCoordinator).empty());
  ASSERT_TRUE(receive(kWorkers[1], put(1, Object::shard, 4)).ok());
  const auto written = sent<Written>(kCoordinator);
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].epoch, 1U);
  ASSERT_EQ(written[0].objects.size(), 3U) << "and the state of pull";
  EXPECT_EQ(std::count_if(written[0].objects.begin(), written[0].objects.end(),
                          [](const ObjectHash& one) { return one.object == Object::pull && one.id == 0; }),
            1);
  EXPECT_EQ(written[0].file, "epoch-00000001/partition-0.era-1.sst");
}

TEST_F(PartitionNode, AnObjectThatCameDamagedIsRefused) {
  Put damaged = put(1, Object::slice, 4);
  damaged.hash.low ^= 1;
  const Status status = receive(kWorkers[0], damaged);
  EXPECT_EQ(status.code(), ExitCode::bug);
  EXPECT_EQ(status.what(), "an object from worker-0 does not have the hash it came with");
}

TEST_F(PartitionNode, ACheckpointHasTheStateAtItsRequest) {
  ASSERT_TRUE(receive(kCoordinator, expect_of(1, {5})).ok());
  ASSERT_TRUE(receive(kWorkers[0], parts_of(1, {1, 0}, {1})).ok());
  ASSERT_TRUE(receive(kCoordinator, Save{1, 2}).ok());
  ASSERT_TRUE(receive(kCoordinator, expect_of(2, {5})).ok());
  ASSERT_TRUE(receive(kWorkers[0], parts_of(2, {1, 0}, {100})).ok());
  ASSERT_TRUE(receive(kWorkers[0], put(1, Object::slice, 0)).ok());
  ASSERT_TRUE(resume().ok());
  for (const NodeId to : kWorkers) {
    const auto deltas = sent<Deltas>(to);
    ASSERT_EQ(deltas.size(), 3U) << "for every shared table";
    EXPECT_EQ(deltas[0].rows.round, 0U);
    EXPECT_EQ(deltas[0].rows.table, kSums);
    EXPECT_EQ(numbers_of(deltas[0].values), (std::vector<double>{1}));
    EXPECT_EQ(deltas[1].rows.table, kTalks);
  }
  EXPECT_EQ(sent<Ready>(kCoordinator).size(), 1U);
  ASSERT_TRUE(receive(kWorkers[0], Fetch{Object::slice, 0}).ok());
  EXPECT_EQ(sent<Fetched>(kWorkers[0]).at(0).bytes.size(), 1U);
  EXPECT_EQ(receive(kWorkers[0], Fetch{Object::slice, 1}).code(), ExitCode::disk) << "it is not in the checkpoint";
  ASSERT_TRUE(receive(kCoordinator, Save{2, 1}).ok());
  const Result<Bytes> state = store_->read(2, 0, Object::pull, 0);
  ASSERT_TRUE(state.ok());
  Reader in(state->view());
  EXPECT_EQ(in.get<std::uint64_t>(), 1U) << "pulls, as restored";
}

// All rows of a table were one message, and all objects were sent at once: more than 4 GiB for a peer ended the run.
TEST_F(PartitionNode, RestoredRowsAreSentInChunks) {
  store({1, 2, 3, 4, 5});
  credit_ = {.bytes = 64, .chunk = 32};  // of two rows of 16 bytes each
  waiting[kWorkers[1]] = 40;
  ASSERT_TRUE(resume().ok());
  const auto keys_sent = [&](NodeId to) {
    std::vector<std::vector<Key>> all;
    for (const Deltas& deltas : sent<Deltas>(to)) {
      if (deltas.rows.table != kSums) continue;
      all.push_back(deltas.rows.keys);
      EXPECT_EQ(deltas.last, deltas.rows.keys.back() == 5U);
      for (const double value : numbers_of(deltas.values)) EXPECT_EQ(std::fmod(value, 10), 0);
    }
    return all;
  };
  using Chunks = std::vector<std::vector<Key>>;
  for (const NodeId to : kWorkers) EXPECT_EQ(keys_sent(to), (Chunks{{1, 2}})) << "40 bytes and 32 are more than 64";
  EXPECT_TRUE(sent<Ready>(kCoordinator).empty());
  waiting[kWorkers[1]] = 64;
  ASSERT_TRUE(tick().ok());
  EXPECT_EQ(keys_sent(kWorkers[0]), (Chunks{{1, 2}}));
  waiting.clear();
  ASSERT_TRUE(tick().ok());
  EXPECT_EQ(keys_sent(kWorkers[0]), (Chunks{{1, 2}, {3, 4}, {5}}));
  EXPECT_EQ(keys_sent(kWorkers[1]), keys_sent(kWorkers[0]));
  for (const NodeId to : kSchedulers) EXPECT_TRUE(sent<Deltas>(to).empty()) << "changes are computed here";
  EXPECT_EQ(sent<Deltas>(kWorkers[0]).size(), 5U) << "tables without rows are sent, too";
  EXPECT_EQ(sent<Ready>(kCoordinator).size(), 1U) << "after the last";
  ASSERT_TRUE(tick().ok());
  EXPECT_EQ(sent<Ready>(kCoordinator).size(), 1U);
}

TEST_F(PartitionNode, ObjectsAreReadForProcessesWithCredit) {
  store({});
  credit_ = {.bytes = 64, .chunk = 32};
  ASSERT_TRUE(resume().ok());
  waiting[kWorkers[0]] = 64;
  ASSERT_TRUE(receive(kWorkers[0], Fetch{Object::slice, 0}).ok());
  ASSERT_TRUE(receive(kWorkers[1], Fetch{Object::slice, 1}).ok());
  EXPECT_TRUE(sent<Fetched>(kWorkers[0]).empty());
  EXPECT_EQ(sent<Fetched>(kWorkers[1]).size(), 1U) << "a slow receiver does not delay others";
  waiting[kWorkers[0]] = 63;
  ASSERT_TRUE(tick().ok());
  EXPECT_EQ(sent<Fetched>(kWorkers[0]).size(), 1U);
}

TEST_F(PartitionNode, FilesAreForTheThreadOfFiles) {
  store({1});
  ASSERT_TRUE(resume().ok());
  EXPECT_EQ(io_works, 1U) << "reading";
  ASSERT_TRUE(receive(kWorkers[0], Fetch{Object::slice, 0}).ok());
  EXPECT_EQ(io_works, 2U);
  ASSERT_TRUE(receive(kCoordinator, Save{2, 1}).ok());
  EXPECT_EQ(sent<Written>(kCoordinator).size(), 1U);
  EXPECT_EQ(io_works, 3U) << "writing";
}

TEST_F(PartitionNode, AStateOfPullThatIsDamagedIsADiskError) {
  std::string file;
  const Put wrong{1, Object::pull, 0, {}, bytes_of("too long for a number")};
  const Rows none(CountingApp().tables(Facts(kFacts.facts)));
  ASSERT_TRUE(store_->write(1, 0, {std::span(&wrong, 1), none}, file).ok());
  const Status status = resume();
  EXPECT_EQ(status.code(), ExitCode::disk);
  EXPECT_EQ(status.what(), "the state of pull in the checkpoint is damaged");
  EXPECT_TRUE(sent<Ready>(kCoordinator).empty());
}

TEST_F(PartitionNode, OtherMessagesAreRefused) {
  for (const Message& message : {Message(Rounds{}), Message(Tasks{}), Message(Lease{}), Message(Fetch{})})
    EXPECT_EQ(receive(kWorkers[0], message).code(), ExitCode::bug);
}

}  // namespace
}  // namespace rota::partition
