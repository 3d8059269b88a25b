// Answers to processes outside the run: observers, processes of other jobs
// and versions, and other starts of members.
#include "core/base/version.h"
#include "tests/unit/core/runtime/hosts.h"

namespace rota::tests {
namespace {

class Guests : public Hosts {
 protected:
  static Frames from_observer(std::uint32_t index, const Message& message, std::uint64_t sequence = 1) {
    const NodeId observer{Role::observer, index};
    return Hosts::frames_of(observer, observer, kCoordinator, message,
                            {.incarnation = 1000 + index, .job = 0, .sequence = sequence});
  }
  static Frames ask(std::uint32_t index, std::uint64_t sequence = 1) {
    return from_observer(index, AskStatus{NodeId{Role::observer, index}.name()}, sequence);
  }
  // The answer to the HELLO of another worker-0 of a job, which listens elsewhere.
  std::optional<Transmission> refusal_of(Host& host, Joins joins, std::uint64_t job) {
    Hello other = hello_of(kWorker, 7);
    other.endpoint = "elsewhere";
    other.joins = joins;
    host.receive(frames_of(other, {.incarnation = 7, .job = job}), world());
    auto refusal = host.next(now_);
    EXPECT_TRUE(refusal && refusal->endpoint == "elsewhere");
    EXPECT_TRUE(refusal && decode_header(refusal->frames)->kind == Kind::refuse);
    return refusal;
  }
  std::size_t transmissions(Host& host) {
    std::size_t count = 0;
    while (host.next(now_)) ++count;
    return count;
  }
  Host& joining(std::uint64_t job, const std::string& version = kVersion) {
    Host& member = host(kWorker, 2, job);
    Hello hello = hello_of(kWorker, 2);
    hello.version = version;
    member.join(
        kCoordinator.name(), hello,
        [](const Welcome&, Host::Nodes) -> Result<Host::Nodes> { return std::vector<std::unique_ptr<Node>>(); }, now_);
    return member;
  }
};

// Every `rota status` leaked a link, three sockets and three descriptors: after about 300 the run could not write its
// next file.
TEST_F(Guests, AnObserverIsForgottenWhenItHasItsAnswer) {
  Host& host = answering_coordinator();
  for (std::uint32_t call = 0; call < 100; ++call) {
    const NodeId observer{Role::observer, call};
    Host& asking = this->host(observer, 9 + call, 0);
    auto node = std::make_unique<Listener>(observer, [](const Envelope&, Outbox& out) {
      out.end(ExitCode::ok, "answered");
      return Status();
    });
    Listener& listener = *node;
    asking.add(std::move(node));
    asking.register_peer({kCoordinator, kCoordinator.name(), 0});
    asking.ask({observer.name()}, now_);
    talk();
    ASSERT_EQ(listener.count<StatusReport>(), 1U) << "call " << call;
    pass(kSecond);
    EXPECT_EQ(host.take_forgotten(), (std::vector<NodeId>{observer}));
    hosts_.erase(observer);
  }
  EXPECT_FALSE(host.busy());
  EXPECT_EQ(host.refused(), 0U);
}

TEST_F(Guests, ASilentObserverIsForgottenAfterATimeout) {
  Host& host = answering_coordinator();
  host.receive(ask(1), world());
  EXPECT_EQ(transmissions(host), 1U);
  now_ += Admission::kGuestStaysMost - 1;
  host.tick(world());
  EXPECT_TRUE(host.take_forgotten().empty());
  now_ += 1;
  host.tick(world());
  EXPECT_EQ(host.take_forgotten().size(), 1U);
  EXPECT_FALSE(host.busy());
}

TEST_F(Guests, TheNumberOfObserversIsLimited) {
  Host& host = answering_coordinator();
  for (std::uint32_t i = 0; i < 2 * Admission::kGuestsMost; ++i) host.receive(ask(i), world());
  EXPECT_EQ(hub_->count<AskStatus>(), Admission::kGuestsMost);
  EXPECT_EQ(host.refused(), Admission::kGuestsMost);
  now_ += Admission::kGuestStaysMost;
  host.tick(world());
  host.receive(ask(100), world());
  EXPECT_EQ(hub_->count<AskStatus>(), Admission::kGuestsMost + 1) << "there is room again";
}

// The answers filled the link of an observer that acknowledged none, which ended the run.
TEST_F(Guests, RepeatedQuestionsGetOneAnswer) {
  Host& host = answering_coordinator();
  for (std::uint64_t i = 1; i <= 100; ++i) host.receive(ask(1, i), world());
  EXPECT_EQ(hub_->count<AskStatus>(), 100U);
  EXPECT_EQ(host.queued_to({Role::observer, 1}), size_of(encode_message(StatusReport{"{}"})) + kHeaderSize);
}

// It named the address for the answer, and the coordinator connected to any address.
TEST_F(Guests, AnObserverIsAnsweredWhereItAsksFrom) {
  Host& host = answering_coordinator();
  const std::string connection = std::string(kReplyScheme) + "7";
  host.receive(ask(1), world(), {connection, {}});
  const auto answer = host.next(now_);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->endpoint, connection);
}

// With such an endpoint a stranger could have messages sent to a peer of the coordinator.
TEST_F(Guests, AConnectionOfAnotherCannotBeNamed) {
  Host& host = answering_coordinator();
  Hello hello = hello_of(kWorker, 2);
  hello.endpoint = std::string(kReplyScheme) + "7";
  host.receive(frames_of(hello), world());
  EXPECT_EQ(host.last_refusal(), "a HELLO that names no address from worker-0");
  EXPECT_EQ(hub_->count<Hello>(), 0U);
  host.receive(from_observer(1, AskStatus{hello.endpoint}), world());
  EXPECT_EQ(transmissions(host), 0U);
}

// Each message of another kind was recorded as an event of the run.
TEST_F(Guests, AnObserverMaySendOnlyQuestions) {
  Host& host = answering_coordinator();
  host.receive(ask(1), world());
  const auto send = [&](const Message& message) { host.receive(from_observer(1, message, 2), world()); };
  send(Piece{Kind::fault, 0, 1, 0, 1, Bytes::from({std::byte{1}})});
  EXPECT_EQ(host.last_refusal(), "a PIECE from observer-1");
  send(Ready{});
  EXPECT_EQ(host.last_refusal(), "a READY from observer-1");
}

// Its HELLO was dropped unread: the process waited for half a minute, and reported that there was no answer.
TEST_F(Guests, AProcessOfAnotherJobIsRefused) {
  Host& host = answering_coordinator();
  Host& member = joining(kJob + 1);
  talk();
  pass(kSecond);
  expect_ended(member, ExitCode::usage, "worker-0 was started with other options than the coordinator");
  EXPECT_EQ(hub_->refusals, (std::vector<std::string>{"worker-0: " + member.ended()->what})) << "the run records it";
  EXPECT_EQ(hub_->count<Hello>(), 0U);
  pass(Admission::kGuestStaysMost + kSecond);
  EXPECT_EQ(host.take_forgotten().size(), 1U) << "its connection is closed";
}

TEST_F(Guests, AProcessOfAnotherReleaseIsRefusedWithTheVersions) {
  answering_coordinator();
  Host& member = joining(kJob + 1, "0.0.7");
  talk();
  pass(kSecond);
  expect_ended(member, ExitCode::wrong_version,
               std::string("worker-0 is Rota 0.0.7, the coordinator is Rota ") + kVersion);
}

TEST_F(Guests, ARefusalDoesNotTouchTheMemberOfThatName) {
  Host& member = this->member();
  Host& host = *hosts_[kCoordinator];
  const auto letter = refusal_of(host, Joins::as_named, kJob + 1);
  ASSERT_TRUE(letter.has_value());
  EXPECT_NE(letter->peer, kWorker);
  EXPECT_EQ(decode_header(letter->frames)->job, kJob + 1);
  host.not_taken(letter->peer);
  EXPECT_FALSE(host.next(now_).has_value());
  host.writable(letter->peer);
  EXPECT_EQ(host.next(now_)->peer, letter->peer) << "what the transport did not take is given again";
  pass(3 * kSecond);
  EXPECT_GE(hub_->count<Beat>(), 2U);
  EXPECT_FALSE(member.ended().has_value());
}

// Messages of the first would be ignored.
TEST_F(Guests, ASecondOfANameDoesNotReplaceTheLink) {
  Host& member = this->member();
  Host& host = *hosts_[kCoordinator];
  const auto letter = refusal_of(host, Joins::as_new, kJob);
  ASSERT_TRUE(letter.has_value());
  const auto before = hub_->count<Beat>();
  pass(3 * kSecond);
  EXPECT_GT(hub_->count<Beat>(), before);
  EXPECT_FALSE(member.ended().has_value());
}

// Frames as a process of another protocol version would send them.
Frames of_version(std::uint8_t version, Frames frames) {
  frames[0] = changed(frames[0], 4, kProtocolVersion ^ version);
  seal(frames);
  return frames;
}

TEST_F(Guests, AProcessOfAnotherProtocolVersionIsAnsweredWithRefuse) {
  Host& host = answering_coordinator();
  const Frames hello = of_version(99, frames_of(hello_of(kWorker, 2)));
  host.receive(hello, world());
  const auto answer = host.next(now_);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->endpoint, kWorker.name()) << "HELLO's first field, in every version";
  ASSERT_EQ(hub_->refusals.size(), 1U);
  EXPECT_EQ(hub_->refusals[0], "a stranger: protocol version 99, the coordinator has 12");
  host.receive(hello, world());
  EXPECT_TRUE(host.next(now_).has_value()) << "it is repeated";
  EXPECT_EQ(hub_->refusals.size(), 1U) << "which is recorded once";

  Host& member = joining(kJob);
  member.receive(of_version(99, answer->frames), world());
  pass(kSecond);
  expect_ended(member, ExitCode::wrong_version, "the coordinator has protocol version 99, worker-0 has 12");
}

TEST_F(Guests, ADamagedVersionIsRefusedAsDamage) {
  Host& host = answering_coordinator();
  Frames hello = frames_of(hello_of(kWorker, 2));
  hello[0] = changed(hello[0], 4, 0x10);
  host.receive(hello, world());
  EXPECT_EQ(host.last_refusal(), "the checksum is wrong");
  EXPECT_FALSE(host.next(now_).has_value());
}

TEST_F(Guests, AMemberIgnoresRefusals) {
  Host& member = this->member();
  const Frames refusal =
      Hosts::frames_of(kCoordinator, kCoordinator, kWorker, Refuse{ExitCode::usage, "no"}, {.incarnation = 1});
  member.receive(of_version(99, refusal), world());
  pass(kSecond);
  EXPECT_FALSE(member.ended().has_value());
}

TEST_F(Guests, AFirstMessageIsShort) {
  Host& host = answering_coordinator();
  Hello hello = hello_of(kWorker, 2);
  hello.host = std::string(Router::kFirstBytesMost, 'x');
  host.receive(frames_of(hello), world());
  EXPECT_EQ(hub_->count<Hello>(), 0U);
  EXPECT_TRUE(host.last_refusal().starts_with("HELLO of ")) << host.last_refusal();
}

// A malformed HELLO replaced the link of a live member.
TEST_F(Guests, AFirstMessageThatCannotBeReadChangesNothing) {
  member();
  Host& host = *hosts_[kCoordinator];
  Frames hello = frames_of(hello_of(kWorker, 77), {.incarnation = 77});
  hello[1] = cut_to(hello[1], hello[1].size() - 1);
  seal(hello);
  host.receive(hello, world());
  EXPECT_EQ(host.last_refusal(), "a malformed HELLO from worker-0");
  pass(3 * kSecond);
  EXPECT_GE(hub_->count<Beat>(), 2U) << "the member's messages arrive as before";
}

class Newcomers : public Guests {
 protected:
  // The HELLO of another start of the worker.
  Frames hello_from(const std::string& endpoint, std::uint64_t start) {
    Hello hello = hello_of(kWorker, start);
    hello.endpoint = endpoint;
    return frames_of(hello, {.incarnation = start});
  }
  std::vector<Transmission> sent_to(Host& host, const std::string& endpoint) {
    std::vector<Transmission> sent;
    while (auto out = host.next(now_))
      if (out->endpoint == endpoint) sent.push_back(*std::move(out));
    return sent;
  }
  std::size_t starts() const { return hub_->count<Hello>(); }
};

// A HELLO of a dead start, from before the coordinator was restarted, displaced a live one.
TEST_F(Newcomers, ReplaceNoMemberBeforeTheyAnswer) {
  Host& host = answering_coordinator();
  host.receive(hello_from("here", 5), world());
  ASSERT_EQ(starts(), 1U);
  host.receive(hello_from("there", 6), world());
  EXPECT_EQ(starts(), 1U);
  const auto asked = sent_to(host, "there");
  ASSERT_EQ(asked.size(), 1U);
  const auto question = decode_header(asked[0].frames);
  EXPECT_EQ(question->kind, Kind::probe);
  EXPECT_EQ(question->peer_incarnation, 6U);
  EXPECT_EQ(question->acknowledged, 0U) << "the HELLO is not accepted yet";
  host.receive(frames_of(Beat{}, {.incarnation = 5}), world());
  now_ += kSecond;
  host.tick(world());
  EXPECT_FALSE(sent_to(host, "here").empty()) << "the first is still the member";
  EXPECT_EQ(host.refused(), 0U);
}

TEST_F(Newcomers, ReplaceTheMemberWithTheirAnswerAndEndIt) {
  Host& hub_host = answering_coordinator();
  Host& worker = joining(kJob);
  talk();
  ASSERT_EQ(starts(), 1U);
  const auto old_worker = std::move(hosts_.at(kWorker));
  hub_host.receive(hello_from("there", 6), world());
  Host newcomer({kWorker, 6, kJob, "there", 30 * kSecond});
  newcomer.join(
      kCoordinator.name(), hello_of(kWorker, 6),
      [](const Welcome&, Host::Nodes) -> Result<Host::Nodes> { return Host::Nodes(); }, now_);
  hosts_.erase(kWorker);
  const auto carry = [&](Host& to, const std::vector<Transmission>& sent) {
    for (const auto& out : sent) to.receive(out.frames, world());
  };
  carry(newcomer, sent_to(hub_host, "there"));
  while (const auto out = newcomer.next(now_)) hub_host.receive(out->frames, world());
  EXPECT_EQ(starts(), 2U) << "once, though it was sent twice";
  const auto dismissal = sent_to(hub_host, kWorker.name());
  ASSERT_EQ(dismissal.size(), 1U);
  carry(newcomer, dismissal);
  newcomer.tick(world());
  EXPECT_FALSE(newcomer.ended().has_value()) << "it is for another start";
  carry(worker, dismissal);
  worker.tick(world());
  expect_ended(worker, ExitCode::temporary, "another start of worker-0 took its place");
}

// It repeated HELLO until the run had stopped waiting for it, and so was not restarted in time.
TEST_F(Newcomers, AReplacedStartIsRefusedWheneverItCalls) {
  Host& host = answering_coordinator();
  host.receive(hello_from("here", 5), world());
  host.receive(hello_from("there", 6), world());
  host.receive(sign_of_life(6), world());
  ASSERT_EQ(starts(), 2U);
  now_ += 60 * kSecond;
  host.tick(world());
  sent_to(host, "here");
  host.receive(hello_from("here", 5), world());
  const auto answers = sent_to(host, "here");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(decode_header(answers[0].frames)->kind, Kind::refuse);
  EXPECT_EQ(decode_header(answers[0].frames)->peer_incarnation, 5U);
  EXPECT_EQ(starts(), 2U);
}

TEST_F(Newcomers, AreRememberedForATimeAndOnlyAFew) {
  Host& host = answering_coordinator();
  host.receive(hello_from("here", 5), world());
  for (std::uint64_t start = 100; start < 100 + 2 * Admission::kGuestsMost; ++start)
    host.receive(hello_from("there", start), world());
  const auto answer = [&](std::uint64_t start) {
    host.receive(sign_of_life(start), world());
    return starts();
  };
  EXPECT_EQ(answer(100), 1U) << "many have come since";
  EXPECT_EQ(answer(99 + 2 * Admission::kGuestsMost), 2U);
}

}  // namespace
}  // namespace rota::tests
