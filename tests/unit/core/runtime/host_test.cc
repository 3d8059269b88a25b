// The processes of a run and the messages between them.
#include "core/runtime/host.h"

#include "tests/unit/core/runtime/hosts.h"

namespace rota::tests {
namespace {

TEST_F(Hosts, CompleteAJoin) {
  member();
  ASSERT_EQ(hub_->count<Hello>(), 1U);
  EXPECT_EQ(hub_->received[0].from, kWorker);
  ASSERT_NE(node_, nullptr) << "it was admitted";
  ASSERT_EQ(node_->received.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Welcome>(node_->received[0].message));
  pass(3 * kSecond);
  EXPECT_GE(hub_->count<Beat>(), 2U);
  EXPECT_EQ(hosts_[kCoordinator]->refused() + hosts_[kWorker]->refused(), 0U);
  EXPECT_FALSE(hosts_[kWorker]->busy()) << hosts_[kWorker]->last_refusal();
}

TEST_F(Hosts, AKeyIsValidForItsOwnRoleOnly) {
  Host& host = coordinator();
  const Frames hello = frames_of(hello_of(kWorker, 2));
  for (const Role other : {Role::coordinator, Role::scheduler, Role::kvstore, Role::observer}) {
    host.receive(hello, world(), {"", other});
    EXPECT_EQ(host.last_refusal(), std::string("a message with the key of a ") + role_name(other) + " from worker-0");
  }
  EXPECT_TRUE(hub_->received.empty());
  EXPECT_EQ(hub_->signs_of_life, 0);
  host.receive(hello, world(), {"", Role::worker});
  EXPECT_EQ(hub_->count<Hello>(), 1U);
}

TEST_F(Hosts, AProcessWithWrongKeysEnds) {
  Host& member = worker();
  member.keys_refused({Role::worker, 7}, "why", now_);
  EXPECT_FALSE(member.ended().has_value());
  member.keys_refused(kCoordinator, "it does not know this key", now_);
  member.tick(world());
  expect_ended(member, ExitCode::not_authorised, "the coordinator does not let worker-0 in: it does not know this key");
}

TEST_F(Hosts, AnUnknownPeerCanOnlySayHello) {
  Host& host = coordinator();
  host.receive(frames_of(Beat{}), world());
  EXPECT_EQ(host.refused(), 1U);
  EXPECT_EQ(host.last_refusal(), "an unexpected message from worker-0");
  EXPECT_TRUE(hub_->received.empty());
  EXPECT_EQ(hub_->signs_of_life, 0);
  host.receive(frames_of(hello_of(kWorker, 2)), world());
  EXPECT_EQ(host.refused(), 1U);
  EXPECT_EQ(hub_->count<Hello>(), 1U);
  host.receive(frames_of(hello_of(kWorker, 2)), world());
  EXPECT_EQ(hub_->count<Hello>(), 1U) << "a repetition is not delivered";
  EXPECT_EQ(hub_->signs_of_life, 2);
}

TEST_F(Hosts, AGreetingBeforeTheWelcomeIsIgnored) {
  const NodeId other{Role::scheduler, 0};
  Host& member = worker();
  member.receive(frames_of(other, other, kWorker, Ack{}, {}), world());
  EXPECT_EQ(member.refused(), 0U) << member.last_refusal();
  member.receive(frames_of(other, other, kWorker, Beat{}, {}), world());
  EXPECT_EQ(member.last_refusal(), "an unexpected message from scheduler-0");
}

TEST_F(Hosts, OnlyTheCoordinatorAcceptsHello) {
  Host& member = worker();
  const NodeId other{Role::worker, 1};
  member.receive(frames_of(other, other, kWorker, hello_of(other, 5), {}), world());
  EXPECT_EQ(member.refused(), 1U);
}

TEST_F(Hosts, AMessageOfAnotherJobIsRefused) {
  Host& host = coordinator();
  host.receive(frames_of(hello_of(kWorker, 2), {.job = kJob + 1}), world());
  EXPECT_EQ(host.last_refusal(), "a message of another job from worker-0");
  host.receive(frames_of(hello_of(kWorker, 2), {.job = 0}), world());
  EXPECT_EQ(host.last_refusal(), "a message without a job from worker-0");
  EXPECT_EQ(host.refused(), 2U);
  EXPECT_TRUE(hub_->received.empty());
}

// Its link was looked up and not found.
TEST_F(Hosts, AHelloInTheCoordinatorsOwnNameIsRefused) {
  Host& host = coordinator();
  host.receive(frames_of(kCoordinator, kCoordinator, kCoordinator, hello_of(kCoordinator, 9), {}), world());
  EXPECT_EQ(host.refused(), 1U);
  EXPECT_TRUE(hub_->received.empty());
}

// Any admitted process could stop the run in the coordinator's name.
TEST_F(Hosts, AProcessSendsOnlyForItsOwnNodes) {
  partition_hosts_ = {kWorker};
  member();
  Host& host = *hosts_[kCoordinator];
  host.receive(frames_of(kWorker, kCoordinator, kCoordinator, Stop{}, {.sequence = 2}), world());
  EXPECT_EQ(host.refused(), 1U);
  EXPECT_EQ(hub_->count<Stop>(), 0U);
  // The link has taken the other.
  host.receive(frames_of(kWorker, {Role::partition, 0}, kCoordinator, Stop{}, {.sequence = 3}), world());
  EXPECT_EQ(host.refused(), 1U) << "a partition that it hosts";
  EXPECT_EQ(hub_->count<Stop>(), 1U);
}

TEST_F(Hosts, DamagedFramesAreCounted) {
  Host& host = coordinator();
  Frames frames = frames_of(hello_of(kWorker, 2));
  frames[1] = changed(frames[1], 3, 1);
  host.receive(frames, world());
  host.receive({}, world());
  host.receive({Bytes()}, world());
  EXPECT_EQ(host.refused(), 3U);
}

// Otherwise it would be sent again forever, and the messages after it would wait.
TEST_F(Hosts, AnUndecodableMessageEndsTheProcess) {
  for (const bool opens_contact : {false, true}) {
    member();
    Frames frames = opens_contact ? frames_of(hello_of(kWorker, 2)) : frames_of(Fault{ExitCode::disk, "no space"});
    frames[1] = cut_to(frames[1], frames[1].size() - 1);
    if (!opens_contact) frames[0] = changed(frames[0], 32, 1 ^ 2);  // its sequence number: only the next is decoded
    seal(frames);
    Host& hub = *hosts_[kCoordinator];
    hub.receive(frames, world());
    EXPECT_EQ(hub.refused(), 1U);
    EXPECT_EQ(hub.last_refusal(), std::string("a malformed ") + (opens_contact ? "HELLO" : "FAULT") + " from worker-0");
    talk();
    pass(kSecond);
    ASSERT_EQ(hub.ended().has_value(), !opens_contact) << "any process can send HELLO";
    if (!opens_contact) expect_ended(hub, ExitCode::bug, "a malformed FAULT from worker-0");
  }
}

TEST_F(Hosts, AMessageForAMissingNodeIsRefused) {
  member();
  hosts_[kCoordinator]->route({Role::partition, 4}, kWorker);
  errand_ = [](Outbox& out) { out.send({Role::partition, 4}, Evaluate{1}); };
  hosts_[kCoordinator]->tell(kCoordinator, Ready{}, world());
  talk();
  EXPECT_EQ(hosts_[kWorker]->last_refusal(), "no partition-4 here");
}

TEST_F(Hosts, OnlyTheCoordinatorDismissesMembers) {
  Host& member = this->member();
  const NodeId other{Role::worker, 1};
  Host& neighbour = host(other, 3);
  neighbour.add(std::make_unique<Listener>(other, [](const Envelope&, Outbox& out) {
    out.send(kWorker, Stop{ExitCode::interrupted, "enough"});
    return Status();
  }));
  neighbour.register_peer({kWorker, kWorker.name(), 2});
  member.register_peer({other, other.name(), 3});
  neighbour.tell(other, Ready{}, world());
  talk();
  pass(kSecond);
  EXPECT_FALSE(member.ended().has_value());
  EXPECT_EQ(member.last_refusal(), "a STOP from worker-1 to worker-0");
}

TEST_F(Hosts, TheCoordinatorsStopAndRefuseEndAMember) {
  for (const Message& dismissal :
       {Message(Stop{ExitCode::interrupted, "enough"}), Message(Refuse{ExitCode::usage, "no"})}) {
    hosts_.clear();
    Host& member = worker();
    hub(1, [&](const Envelope& in, Outbox& out) {
      if (std::holds_alternative<Hello>(in.message)) out.send(in.from, dismissal);
      return Status();
    });
    talk();
    pass(kSecond);
    const bool stopped = std::holds_alternative<Stop>(dismissal);
    expect_ended(member, stopped ? ExitCode::interrupted : ExitCode::usage, stopped ? "enough" : "no");
    EXPECT_EQ(node_, nullptr);
  }
}

TEST_F(Hosts, AFaultIsReportedAndTheProcessWaitsForStop) {
  Host& member = this->member([](const Envelope&, Outbox&) { return Status(ExitCode::bad_data, "file:3: what"); });
  ASSERT_EQ(hub_->count<Fault>(), 1U);
  const auto& fault = std::get<Fault>(hub_->received.back().message);
  EXPECT_EQ(fault.code, ExitCode::bad_data);
  EXPECT_EQ(fault.what, "file:3: what");
  EXPECT_EQ(hub_->received.back().from, kWorker);
  pass(9 * kSecond);
  EXPECT_FALSE(member.ended().has_value());
  pass(5 * kSecond);
  expect_ended(member, ExitCode::bad_data, "file:3: what");  // no STOP came
  EXPECT_EQ(hub_->count<Fault>(), 1U);
}

TEST_F(Hosts, AFaultOfTheFactoryIsReportedToo) {
  coordinator();
  Host& member = host(kWorker, 2);
  member.join(
      kCoordinator.name(), hello_of(kWorker, 2),
      [](const Welcome&, Host::Nodes) -> Result<Host::Nodes> { return Status(ExitCode::failed, "no plugin"); }, now_);
  talk();
  EXPECT_EQ(hub_->count<Fault>(), 1U);
}

TEST_F(Hosts, AFaultOfTheCoordinatorEndsIt) {
  Host& host = hub(1, [](const Envelope&, Outbox&) { return Status(ExitCode::disk, "full"); });
  host.tell(kCoordinator, Ready{}, world());
  host.tick(world());
  expect_ended(host, ExitCode::disk, "full");
}

TEST_F(Hosts, AMissingCoordinatorIsATemporaryFailure) {
  Host& member = worker();
  pass(59 * kSecond);
  EXPECT_FALSE(member.ended().has_value()) << "the coordinator may start late";
  pass(6 * kSecond);
  expect_ended(member, ExitCode::temporary, "no answer from the coordinator");
  EXPECT_GT(carried_, 2) << "HELLO is repeated";
}

// It gave up after the timeout, as nothing had arrived since HELLO.
TEST_F(Hosts, AMemberWaitsForTheOthersAndSendsBeats) {
  hub();
  Host& member = worker();
  pass(100 * kSecond);
  EXPECT_FALSE(member.ended().has_value());
  EXPECT_GE(hub_->count<Beat>(), 60U);
  hosts_.extract(kCoordinator);
  pass(35 * kSecond);
  expect_ended(member, ExitCode::temporary, "the coordinator was lost");
}

TEST_F(Hosts, APausedProcessLosesNoPeer) {
  Host& member = this->member();
  pass(kSecond);
  EXPECT_EQ(node_->still, 0);
  now_ += 60 * kSecond;
  member.tick(world());
  EXPECT_FALSE(member.ended().has_value());
  EXPECT_EQ(node_->still, 60 * kSecond);
  hosts_.extract(kCoordinator);
  pass(29 * kSecond);
  EXPECT_FALSE(member.ended().has_value());
  pass(4 * kSecond);
  EXPECT_TRUE(member.ended().has_value()) << "silence since then counts";
}

TEST_F(Hosts, ALeavingMemberAsksTheCoordinatorFirst) {
  Host& member = this->member();
  member.end_requested("worker-0 was asked to end", now_);
  talk();
  pass(3 * kSecond);
  EXPECT_FALSE(member.ended().has_value()) << "the job ends after a checkpoint";
  ASSERT_EQ(hub_->count<Stop>(), 1U);
  EXPECT_EQ(hub_->count<Fault>(), 0U);
  member.end_requested("worker-0 was asked to end", now_);
  talk();
  pass(kSecond);
  expect_ended(member, ExitCode::terminated, "worker-0 was asked to end");  // twice means now
  EXPECT_EQ(hub_->count<Fault>(), 1U);
}

TEST_F(Hosts, ALeavingMemberDoesNotAskALostCoordinator) {
  for (const bool joined : {false, true}) {
    hosts_.clear();
    if (joined) coordinator();
    Host& member = worker();
    talk();
    if (joined) hosts_.extract(kCoordinator);
    if (joined) member.disconnected(kCoordinator, world());
    member.end_requested("worker-0 was asked to end", now_);
    pass(3 * kSecond);
    expect_ended(member, ExitCode::terminated, "worker-0 was asked to end");
  }
}

TEST_F(Hosts, NodesOfOneHostBypassTheNetwork) {
  Host& one = host(kWorker, 2);
  const NodeId partition{Role::partition, 0};
  auto first = std::make_unique<Listener>(kWorker, [&](const Envelope& in, Outbox& out) {
    if (std::holds_alternative<Ready>(in.message))
      for (RoundId i = 1; i <= 3; ++i) out.send(partition, HasRead{i});
    return Status();
  });
  auto second = std::make_unique<Listener>(partition);
  const Listener& listener = *second;
  one.add(std::move(first));
  one.add(std::move(second));
  one.tell(kWorker, Ready{}, world());
  ASSERT_EQ(listener.received.size(), 3U);
  for (RoundId i = 1; i <= 3; ++i) EXPECT_EQ(std::get<HasRead>(listener.received[i - 1].message).number, i);
  EXPECT_EQ(listener.received[0].from, kWorker);
  EXPECT_FALSE(one.next(now_).has_value());
  EXPECT_EQ(one.bytes_sent(), 0U);
}

// Start numbers were compared: after the clock was set back, a new start counted as stale and was not answered.
TEST_F(Hosts, OnlyAReplacedStartIsRefused) {
  Host& host = coordinator();
  const auto hello = [&](std::uint64_t start) {
    host.receive(frames_of(hello_of(kWorker, start), {.incarnation = start}), world());
    host.receive(sign_of_life(start), world());
    return hub_->count<Hello>();
  };
  EXPECT_EQ(hello(5), 1U);
  EXPECT_EQ(hello(4), 2U) << "a smaller number is a new start too";
  EXPECT_EQ(hello(6), 3U);
  EXPECT_EQ(hello(5), 3U) << "a replaced start is stale";
  EXPECT_EQ(hello(4), 3U);
  host.receive(frames_of(Beat{}, {.incarnation = 5}), world());
  host.receive(frames_of(Beat{}, {.incarnation = 7}), world());
  EXPECT_EQ(hub_->count<Beat>(), 0U) << "only HELLO begins a start";
  for (std::uint64_t start = 7; start < 7 + Router::kReplacedMost; ++start) hello(start);
  EXPECT_EQ(hello(7), 3U + Router::kReplacedMost) << "this many are remembered";
  EXPECT_EQ(host.refused(), 0U);
}

// What an earlier start had sent made a lost process look alive.
TEST_F(Hosts, AMessageOfAnotherIncarnationIsNoSignOfLife) {
  Host& host = coordinator();
  host.receive(frames_of(hello_of(kWorker, 6), {.incarnation = 6}), world());
  EXPECT_EQ(hub_->signs_of_life, 1);
  host.receive(frames_of(Beat{}, {.incarnation = 5}), world());
  EXPECT_EQ(hub_->signs_of_life, 1) << "from an earlier start of the worker";
  host.receive(frames_of(Beat{}, {.incarnation = 6, .sequence = 2, .peer_incarnation = 9}), world());
  EXPECT_EQ(hub_->signs_of_life, 1) << "for another start of the coordinator";
  host.receive(frames_of(Beat{}, {.incarnation = 6, .sequence = 2, .peer_incarnation = 1}), world());
  EXPECT_EQ(hub_->signs_of_life, 2);
}

TEST_F(Hosts, PeersAreServedInTurn) {
  const NodeId other{Role::worker, 1};
  Host& hub = this->hub(1, [&](const Envelope&, Outbox& out) {
    for (Epoch i = 1; i <= 2; ++i) out.send(kWorker, EpochOver{i});
    for (Epoch i = 1; i <= 2; ++i) out.send(other, EpochOver{i});
    return Status();
  });
  hub.register_peer({kWorker, kWorker.name(), 2});
  hub.register_peer({other, other.name(), 3});
  hub.tell(kCoordinator, Ready{}, world());
  std::vector<NodeId> served;
  while (auto out = hub.next(now_)) served.push_back(out->peer);
  ASSERT_EQ(served.size(), 4U);
  EXPECT_NE(served[0], served[1]);
  EXPECT_NE(served[2], served[3]);
}

// A little more than a queue may hold, in shared memory.
void flood(NodeId to, Outbox& out) {
  constexpr std::size_t kPieces = 64;
  const Bytes piece = Bytes::from(std::vector<std::byte>(Link::kQueueBytesMost / kPieces));
  for (std::size_t i = 0; i <= kPieces; ++i) out.send(to, Lease{0, 0, 0, piece});
}

// It filled the memory until the system killed a process.
TEST_F(Hosts, AStalledPeerEndsTheProcess) {
  const NodeId other{Role::worker, 1};
  Host& member = this->member([other](const Envelope& in, Outbox& out) {
    if (std::holds_alternative<Ready>(in.message)) flood(other, out);
    return Status();
  });
  member.register_peer({other, other.name(), 3});
  member.tell(kWorker, Ready{}, world());
  talk();
  pass(3 * kSecond);
  ASSERT_TRUE(member.ended().has_value());
  EXPECT_EQ(member.ended()->code, ExitCode::temporary);
  EXPECT_TRUE(member.ended()->what.starts_with("worker-1 does not take what it is sent: ")) << member.ended()->what;
  EXPECT_TRUE(member.ended()->what.ends_with(" bytes in 65 messages wait")) << member.ended()->what;
  ASSERT_EQ(hub_->count<Fault>(), 1U) << "it is reported to the coordinator";
}

TEST_F(Hosts, AStalledCoordinatorEndsTheProcess) {
  Host& member = this->member([](const Envelope& in, Outbox& out) {
    if (std::holds_alternative<Ready>(in.message)) flood(kCoordinator, out);
    return Status();
  });
  member.tell(kWorker, Ready{}, world());
  hosts_.extract(kCoordinator);
  pass(3 * kSecond);
  ASSERT_TRUE(member.ended().has_value());
  EXPECT_TRUE(member.ended()->what.starts_with("coordinator-0 does not take")) << member.ended()->what;
}

TEST_F(Hosts, WhatNobodyWaitsForIsDoneAfterSending) {
  std::vector<std::string> order;
  Host& member = this->member([&](const Envelope& in, Outbox& out) {
    if (!std::holds_alternative<Ready>(in.message)) return Status();
    out.after_sending([&] { order.emplace_back("first"); });
    out.after_sending([&] { order.emplace_back("second"); });
    out.send(kCoordinator, Ready{});
    return Status();
  });
  member.tell(kWorker, Ready{}, world());
  while (member.next(now_)) order.emplace_back("sent");
  member.sent();
  member.sent();
  EXPECT_EQ(order, (std::vector<std::string>{"sent", "first", "second"}));
}

TEST_F(Hosts, ALostConnectionIsReportedToTheNodes) {
  coordinator().disconnected(kWorker, world());
  EXPECT_EQ(hub_->disconnected, (std::vector<NodeId>{kWorker}));
}

}  // namespace
}  // namespace rota::tests
