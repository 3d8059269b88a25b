// Rollbacks and restarts of the coordinator while other processes keep running.
#include "tests/unit/core/runtime/hosts.h"

namespace rota::tests {
namespace {

const NodeId kOther{Role::worker, 1};

class Eras : public Hosts {
 protected:
  // A member whose nodes are listeners; made again in every era.
  Host& member(NodeId id, std::uint64_t incarnation, Listener::Answer answer = nullptr) {
    Host::Settings settings{id, incarnation, kJob, id.name(), 30 * kSecond};
    settings.rejoin_timeout = 20 * kSecond;
    hosts_[id] = std::make_unique<Host>(std::move(settings));
    hosts_[id]->join(
        kCoordinator.name(), hello_of(id, incarnation),
        [this, id, answer](const Welcome& welcome, Host::Nodes before) -> Result<Host::Nodes> {
          before_[id] = before.size();
          eras_[id] = welcome.era;
          Host::Nodes nodes;
          nodes.push_back(std::make_unique<Listener>(id, answer));
          nodes_[id] = static_cast<Listener*>(nodes.back().get());
          return nodes;
        },
        now_);
    return *hosts_[id];
  }
  using Members = std::map<NodeId, std::uint64_t>;
  void send_welcome(std::uint64_t era, std::vector<NodeId> whom, const Members& members = {{kWorker, 2}, {kOther, 3}}) {
    Welcome all;
    all.era = era;
    for (const auto& [id, incarnation] : members) all.peers.push_back({id, id.name(), incarnation});
    tell_hub([&](Outbox& out) { out.send(whom, all); });
  }
  void welcome(std::uint64_t era, std::vector<NodeId> whom, const Members& members = {{kWorker, 2}, {kOther, 3}}) {
    send_welcome(era, std::move(whom), members);
    talk();
  }
  // Two workers of the first era.
  void welcome_two() {
    hub();
    member(kWorker, 2);
    member(kOther, 3);
    talk();
    welcome(1, {kWorker, kOther});
  }
  // A worker of the first era.
  Host& welcomed() {
    hub();
    Host& worker = member(kWorker, 2);
    talk();
    welcome(1, {kWorker});
    talk();
    return worker;
  }
  void tell_hub(const std::function<void(Outbox&)>& act) {
    finish(
        *hosts_.at(kCoordinator), kCoordinator, [&](Outbox& out) { return act(out), Status(); }, world());
  }
  void say(NodeId from, NodeId to, const Message& message) {
    finish(
        *hosts_.at(from), from, [&](Outbox& out) { return out.send(to, message), Status(); }, world());
  }

  std::map<NodeId, Listener*> nodes_;
  std::map<NodeId, std::size_t> before_;
  std::map<NodeId, std::uint64_t> eras_;
};

TEST_F(Eras, AMemberBeginsTheNextWithNewNodes) {
  welcomed();
  EXPECT_EQ(before_[kWorker], 0U);
  EXPECT_EQ(eras_[kWorker], 1U);
  welcome(2, {kWorker});
  EXPECT_EQ(before_[kWorker], 1U);
  EXPECT_EQ(eras_[kWorker], 2U);
  EXPECT_EQ(nodes_[kWorker]->count<Welcome>(), 1U);
  welcome(2, {kWorker});
  EXPECT_EQ(nodes_[kWorker]->count<Welcome>(), 1U) << "once each";
}

TEST_F(Eras, TheNextBeginsWhenTheWorkOfTheOneBeforeHasEnded) {
  hub();
  Host& worker = member(kWorker, 2, [](const Envelope& in, Outbox& out) {
    if (std::holds_alternative<Ready>(in.message)) out.start([] { return [](Outbox&) { return Status(); }; });
    return Status();
  });
  talk();
  welcome(1, {kWorker});
  tell_hub([](Outbox& out) { out.send(kWorker, Ready{}); });
  talk();
  auto started = worker.take_started();
  ASSERT_EQ(started.size(), 1U);
  send_welcome(2, {kWorker});
  tell_hub([](Outbox& out) { out.send(kWorker, Save{7, 0}); });
  talk();
  EXPECT_EQ(eras_[kWorker], 1U);
  bool ran = false;
  finish(
      worker, kWorker, [&](Outbox&) { return ran = true, Status(); }, world());
  EXPECT_FALSE(ran) << "its result is not needed";
  EXPECT_EQ(eras_[kWorker], 2U);
  EXPECT_EQ(nodes_[kWorker]->count<Save>(), 1U) << "what came early is of the new era";
}

TEST_F(Eras, AProcessOutsideTheEraGetsNoMessages) {
  welcome_two();
  Host& worker = *hosts_.at(kWorker);
  const auto other = std::move(hosts_.at(kOther));
  hosts_.erase(kOther);
  say(kWorker, kOther, Ready{});
  const auto peers_sent_to = [&] {
    std::set<NodeId> peers;
    for (int i = 0; i < 4; ++i) {
      now_ += 10 * kSecond;
      worker.tick(world());
      while (const auto out = worker.next(now_)) peers.insert(out->peer);
    }
    return peers;
  };
  EXPECT_TRUE(peers_sent_to().contains(kOther)) << "it does not answer";
  welcome(2, {kWorker}, {{kWorker, 2}});
  EXPECT_FALSE(peers_sent_to().contains(kOther));
  welcome(3, {kWorker});
  EXPECT_TRUE(peers_sent_to().contains(kOther)) << "unacknowledged messages are sent again";
}

// A partition had moved: its earlier message was refused before it reached the link, which then accepted nothing more
// of its old process, and the run hung.
TEST_F(Eras, MessagesOfAMovedPartitionDoNotBlockItsOldProcess) {
  const NodeId partition{Role::partition, 0};
  hub();
  member(kOther, 3);
  talk();
  Welcome there;
  there.era = 1;
  there.peers = {{kOther, kOther.name(), 3}};
  there.partition_hosts = {kOther};
  tell_hub([&](Outbox& out) { out.send(kOther, there); });
  talk();
  // Sent in era 1, and received when the coordinator has begun era 2.
  finish(
      *hosts_.at(kOther), kOther,
      [&](Outbox& out) {
        return out.sent.push_back({partition, kCoordinator, Ready{}}), Status();
      },
      world());
  Welcome elsewhere = there;
  elsewhere.era = 2;
  elsewhere.peers.push_back({kWorker, kWorker.name(), 2});
  elsewhere.partition_hosts = {kWorker};
  tell_hub([&](Outbox& out) { out.send(kWorker, elsewhere); });
  const std::size_t before = hub_->count<Beat>();
  pass(5 * kSecond);
  EXPECT_EQ(hub_->count<Ready>(), 0U) << "it is of era 1";
  EXPECT_GT(hub_->count<Beat>(), before);
}

TEST_F(Eras, MessagesOfTheEraBeforeAreDropped) {
  welcome_two();
  welcome(2, {kWorker});
  say(kOther, kWorker, Lease{1, 2, 3, {}});
  say(kOther, kCoordinator, Ready{});
  talk();
  EXPECT_EQ(nodes_[kWorker]->count<Lease>(), 0U);
  EXPECT_EQ(hub_->count<Ready>(), 0U);
  welcome(2, {kOther});
  say(kOther, kWorker, Lease{1, 2, 3, {}});
  say(kOther, kCoordinator, Ready{});
  talk();
  EXPECT_EQ(nodes_[kWorker]->count<Lease>(), 1U);
  EXPECT_EQ(hub_->count<Ready>(), 1U);
}

TEST_F(Eras, MessagesOfTheNextEraWait) {
  welcome_two();
  welcome(2, {kOther});
  say(kOther, kWorker, Lease{1, 2, 3, {}});
  talk();
  EXPECT_EQ(nodes_[kWorker]->count<Lease>(), 0U);
  welcome(2, {kWorker});
  EXPECT_EQ(nodes_[kWorker]->count<Lease>(), 1U);
}

TEST_F(Eras, ARestartedCoordinatorGetsHello) {
  Host& worker = welcomed();
  hub(9);
  worker.disconnected(kCoordinator, world());
  pass(3 * kSecond);
  EXPECT_EQ(hub_->count<Hello>(), 1U);
  EXPECT_GE(hub_->count<Beat>(), 1U);
  welcome(2, {kWorker});
  EXPECT_EQ(eras_[kWorker], 2U);
}

// The member counted it as a sign of life, and looked for the next coordinator only after the whole timeout.
TEST_F(Eras, AMessageOfADeadCoordinatorIsNoSignOfLife) {
  Host& worker = welcomed();
  send_welcome(2, {kWorker});
  const auto last = hosts_.at(kCoordinator)->next(now_);
  ASSERT_TRUE(last.has_value());
  hosts_.erase(kCoordinator);
  worker.disconnected(kCoordinator, world());
  worker.receive(last->frames, world());
  hub(9);
  pass(3 * kSecond);
  EXPECT_EQ(hub_->count<Hello>(), 1U);
}

// It waited for the dead one's answer until it was declared lost and restarted.
TEST_F(Eras, AProbedProcessLooksForTheNextCoordinator) {
  Host& first = hub();
  member(kWorker, 2);
  talk();
  Host& worker = member(kWorker, 5);  // replaces the one before
  while (const auto hello = worker.next(now_)) first.receive(hello->frames, world());
  while (const auto question = first.next(now_)) worker.receive(question->frames, world());
  while (const auto answer = worker.next(now_)) first.receive(answer->frames, world());
  ASSERT_EQ(hub_->count<Hello>(), 2U);
  hosts_.erase(kCoordinator);
  worker.disconnected(kCoordinator, world());
  hub(9);
  pass(3 * kSecond);
  EXPECT_EQ(hub_->count<Hello>(), 1U);
}

TEST_F(Eras, AReconnectionChangesNothing) {
  Host& worker = welcomed();
  worker.disconnected(kCoordinator, world());
  pass(3 * kSecond);
  EXPECT_EQ(hub_->count<Hello>(), 1U) << "the first";
  say(kWorker, kCoordinator, Ready{});
  talk();
  EXPECT_EQ(hub_->count<Ready>(), 1U);
}

// The link took back its own last message instead, a counter underflowed, and the process crashed (SIGSEGV).
TEST_F(Eras, AnUnsentHelloIsNotTakenBackFromTheLink) {
  hub();
  Host& worker = member(kWorker, 2);
  talk();
  send_welcome(1, {kWorker});
  pass(kSecond);
  say(kWorker, kCoordinator, Ready{});
  auto last = worker.next(now_);
  ASSERT_TRUE(last.has_value());
  hosts_.at(kCoordinator)->receive(last->frames, world());
  hosts_.at(kCoordinator)->tick(world());
  while (auto ack = hosts_.at(kCoordinator)->next(now_)) worker.receive(ack->frames, world());
  worker.disconnected(kCoordinator, world());
  worker.tick(world());
  const auto call = worker.next(now_);
  ASSERT_TRUE(call.has_value());
  ASSERT_EQ(decode_header(call->frames)->kind, Kind::hello);
  worker.not_taken(kCoordinator);
  worker.writable(kCoordinator);
  say(kWorker, kCoordinator, Saved{});
  const auto next = worker.next(now_);
  ASSERT_TRUE(next.has_value()) << "it waits for what was never sent";
  EXPECT_EQ(decode_header(next->frames)->kind, Kind::saved);
}

TEST_F(Eras, ALostCoordinatorIsAwaitedUntilTheTimeout) {
  Host& worker = welcomed();
  hosts_.erase(kCoordinator);
  worker.disconnected(kCoordinator, world());
  pass(19 * kSecond);
  EXPECT_FALSE(worker.ended().has_value());
  pass(10 * kSecond);
  expect_ended(worker, ExitCode::temporary, "the coordinator was lost");
}

}  // namespace
}  // namespace rota::tests
