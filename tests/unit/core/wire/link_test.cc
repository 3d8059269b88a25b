#include "core/wire/link.h"

#include "tests/unit/core/wire/link_ends.h"

namespace rota {
namespace {

class LinkTest : public testing::Test {
 protected:
  // A peer that has sent nothing yet gets all messages again instead of a probe.
  void a_receives_from_b() {
    submit(b, 99);
    deliver(a, all(b, now), now);
  }
  // b sends an acknowledgement to a.
  void acknowledge() {
    b.tick(now);
    deliver(a, all(b, now), now);
  }
  static Header from_b(Kind kind) {
    Header header;
    header.kind = kind;
    header.job = kJob;
    header.process = header.from = kB;
    header.to = kA;
    header.incarnation = 101;
    return header;
  }

  Link a = link_of(kA, kB), b = link_of(kB, kA);
  Nanoseconds now = kSecond;
};

TEST_F(LinkTest, DeliversInOrderAndIsDrainedByTheAcknowledgement) {
  for (RoundId i = 1; i <= 3; ++i) submit(a, i);
  EXPECT_FALSE(a.drained());
  EXPECT_EQ(deliver(b, all(a, kSecond), kSecond), (std::vector<RoundId>{1, 2, 3}));
  EXPECT_TRUE(all(b, kSecond).empty()) << "an acknowledgement waits for a message or a tick";
  EXPECT_TRUE(b.busy());
  b.tick(kSecond);
  const auto answer = all(b, kSecond);
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(open(answer[0]).header.kind, Kind::ack);
  EXPECT_EQ(open(answer[0]).header.sequence, 0U);
  EXPECT_EQ(open(answer[0]).header.acknowledged, 3U);
  deliver(a, answer, kSecond);
  EXPECT_TRUE(a.drained());
  EXPECT_FALSE(a.busy());
  EXPECT_FALSE(b.busy());
}

TEST_F(LinkTest, AnAcknowledgementRidesOnAMessage) {
  submit(a, 1);
  deliver(b, all(a, kSecond), kSecond);
  submit(b, 2);
  const auto sent = all(b, kSecond);
  EXPECT_EQ(deliver(a, sent, kSecond), (std::vector<RoundId>{2}));
  EXPECT_TRUE(a.drained());
  b.tick(kSecond);
  EXPECT_TRUE(all(b, kSecond).empty()) << "it was acknowledged already";
}

TEST_F(LinkTest, ARepetitionIsDroppedCountedAndAnswered) {
  submit(a, 1);
  const auto sent = all(a, kSecond);
  EXPECT_EQ(deliver(b, {sent[0], sent[0], sent[0]}, kSecond), (std::vector<RoundId>{1}));
  EXPECT_EQ(b.counters().repeated, 2U);
  EXPECT_EQ(all(b, kSecond).size(), 1U) << "the peer may not know that it has arrived";
}

TEST_F(LinkTest, ALostMessageIsAskedForAndSentAgain) {
  a_receives_from_b();
  for (RoundId i = 1; i <= 4; ++i) submit(a, i);
  auto sent = all(a, now);
  sent.erase(sent.begin() + 1);
  EXPECT_EQ(deliver(b, sent, now), (std::vector<RoundId>{1}));
  EXPECT_EQ(b.counters().ahead, 2U);
  deliver(a, all(b, now), now);  // acknowledges 1, and does not report that 2 is lost
  EXPECT_TRUE(all(a, now).empty());

  now += Link::kProbeAfter;
  a.tick(now);
  const auto probe = all(a, now);
  ASSERT_EQ(probe.size(), 1U);
  EXPECT_EQ(open(probe[0]).header.kind, Kind::probe);
  deliver(b, probe, now);
  const auto answer = all(b, now);
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(std::get<Ack>(open(answer[0]).message).answers, 1U);
  deliver(a, answer, now);
  EXPECT_EQ(deliver(b, all(a, now), now), (std::vector<RoundId>{2, 3, 4}));
  EXPECT_EQ(a.counters().resent, 3U);
}

TEST_F(LinkTest, AnUnknownPeerGetsTheMessageAgainInsteadOfAProbe) {
  submit(a, 1);
  EXPECT_EQ(all(a, now).size(), 1U);
  for (int i = 0; i < 3; ++i) {
    now += Link::kProbeMost;
    a.tick(now);
    const auto sent = all(a, now);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(open(sent[0]).header.kind, Kind::has_read);
    EXPECT_EQ(open(sent[0]).header.sequence, 1U);
  }
}

TEST_F(LinkTest, ProbesComeMoreAndMoreRarely) {
  a_receives_from_b();
  submit(a, 1);
  all(a, now);
  std::vector<Nanoseconds> pauses;
  for (Nanoseconds last = now; pauses.size() < 7;) {
    now += kSecond / 10;
    a.tick(now);
    if (all(a, now).empty()) continue;
    pauses.push_back((now - last) / kSecond);
    last = now;
  }
  EXPECT_EQ(pauses, (std::vector<Nanoseconds>{1, 2, 4, 8, 16, 16, 16}));
}

// After several breaks of the connection, messages arrived up to 16 s later.
TEST_F(LinkTest, AfterABrokenConnectionThePeerIsProbedAtOnce) {
  a_receives_from_b();
  submit(a, 1);
  all(a, now);  // lost, and so are the probes
  for (int i = 0; i < 200; ++i, now += kSecond / 10) a.tick(now), all(a, now);
  a.broken();
  deliver(b, all(a, now), now);
  deliver(a, all(b, now), now);
  EXPECT_EQ(deliver(b, all(a, now), now), (std::vector<RoundId>{1}));
  acknowledge();
  ASSERT_TRUE(a.drained());
  a.broken();
  EXPECT_TRUE(all(a, now).empty()) << "nothing is unacknowledged";
}

TEST_F(LinkTest, AnAnswerEndsTheBackOff) {
  a_receives_from_b();
  submit(a, 1);
  const auto sent = all(a, now);
  for (int i = 0; i < 3; ++i) {
    now += Link::kProbeMost;
    a.tick(now);
    EXPECT_EQ(all(a, now).size(), 1U);
  }
  deliver(b, sent, now);
  acknowledge();
  EXPECT_TRUE(a.drained());
  submit(a, 2);
  all(a, now);
  now += Link::kProbeAfter;
  a.tick(now);
  EXPECT_EQ(all(a, now).size(), 1U) << "asked after a second again";
}

// They were dropped: the peer had to ask again, a second later.
TEST_F(LinkTest, UnsentAcknowledgementsAndProbesAreSentAgain) {
  submit(a, 1);
  deliver(b, all(a, now), now);
  b.tick(now);
  ASSERT_TRUE(b.next(now).has_value());
  b.not_taken();
  const auto ack = all(b, now);
  ASSERT_EQ(ack.size(), 1U);
  deliver(a, ack, now);
  EXPECT_TRUE(a.drained());

  submit(a, 2);
  all(a, now);
  now += Link::kProbeAfter;
  a.tick(now);
  ASSERT_TRUE(a.next(now).has_value());
  a.not_taken();
  const auto probe = all(a, now);
  ASSERT_EQ(probe.size(), 1U);
  EXPECT_EQ(open(probe[0]).header.kind, Kind::probe);
  deliver(b, probe, now);
  ASSERT_TRUE(b.next(now).has_value());
  b.not_taken();
  const auto answer = all(b, now);
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(std::get<Ack>(open(answer[0]).message).answers, std::get<Probe>(open(probe[0]).message).number);
}

TEST_F(LinkTest, TheWindowCountsMessages) {
  for (RoundId i = 1; i <= Link::kWindowMessages + 10; ++i) submit(a, i);
  const auto sent = all(a, kSecond);
  EXPECT_EQ(sent.size(), Link::kWindowMessages);
  EXPECT_EQ(deliver(b, sent, kSecond).size(), Link::kWindowMessages);
  deliver(a, all(b, kSecond), kSecond);
  EXPECT_EQ(all(a, kSecond).size(), 10U);
}

TEST_F(LinkTest, TheWindowCountsBytesAndLetsOneLargeMessagePass) {
  const Bytes third = bytes_of(Link::kWindowBytes / 3);
  constexpr std::size_t kWhole = Link::kWindowBytes * 2;
  a = link_of(kA, kB, kWhole);
  for (int i = 0; i < 4; ++i) a.submit(kA, kB, Kind::lease, encode_message(Lease{0, 0, 0, third}));
  const auto sent = all(a, kSecond);
  EXPECT_EQ(sent.size(), 2U) << "the headers make three a little too large";
  for (const Frames& frames : sent) EXPECT_EQ(give(b, frames, kSecond).arrival, Link::Arrival::deliver);
  acknowledge();
  EXPECT_EQ(all(a, kSecond).size(), 2U);

  const Bytes large = bytes_of(Link::kWindowBytes + 1);
  Link c = link_of(kA, kB, kWhole);
  c.submit(kA, kB, Kind::lease, encode_message(Lease{0, 0, 0, large}));
  submit(c, 2);
  EXPECT_EQ(all(c, kSecond).size(), 1U);
}

// Only memory limited it.
TEST_F(LinkTest, TheQueueIsLimitedInBytesAndInMessages) {
  constexpr std::size_t kPieces = 64;
  const Frames piece = encode_message(Lease{0, 0, 0, bytes_of(Link::kQueueBytesMost / kPieces)});  // shared memory
  for (std::size_t i = 0; i < kPieces; ++i) a.submit(kA, kB, Kind::lease, piece);
  EXPECT_FALSE(a.overfull()) << "the largest message does not count";
  a.submit(kA, kB, Kind::lease, piece);
  EXPECT_TRUE(a.overfull()) << "headers count, too";
  EXPECT_TRUE(a.queued().ends_with(" bytes in 65 messages")) << a.queued();
  for (bool whole = false; !whole;) {
    auto next = a.next(kSecond);
    if (next) whole = give(b, *next, kSecond).arrival == Link::Arrival::deliver;
    if (!next) acknowledge();
  }
  acknowledge();
  EXPECT_FALSE(a.overfull()) << "delivered messages do not count";

  Link d = link_of(kA, kB), e = link_of(kB, kA);
  d.submit(kA, kB, Kind::lease, encode_message(Lease{0, 0, 0, bytes_of(1000)}));
  const auto large = all(d, kSecond);
  submit(d, 1);
  EXPECT_EQ(give(e, large[0], kSecond).arrival, Link::Arrival::deliver);
  e.tick(kSecond);
  deliver(d, all(e, kSecond), kSecond);
  EXPECT_FALSE(d.drained());
  EXPECT_FALSE(d.overfull()) << "less waits than the largest message";

  Link c = link_of(kA, kB);
  const Frames small = encode_message(Ready{});
  for (std::size_t i = 0; i < Link::kQueueMessagesMost; ++i) c.submit(kA, kB, Kind::ready, small);
  EXPECT_FALSE(c.overfull());
  c.submit(kA, kB, Kind::ready, small);
  EXPECT_TRUE(c.overfull());
}

TEST_F(LinkTest, MessagesOfAnotherIncarnationAreDroppedAndCounted) {
  Link old({kB, 50, kJob}, kA, 100);
  submit(old, 1);
  EXPECT_TRUE(deliver(a, all(old, kSecond), kSecond).empty());
  EXPECT_EQ(a.counters().stale, 1U);
  EXPECT_EQ(a.last_received(), 0);
  Link to_an_older_self({kB, 101, kJob}, kA, 99);
  submit(to_an_older_self, 1);
  EXPECT_TRUE(deliver(a, all(to_an_older_self, kSecond), kSecond).empty());
  EXPECT_EQ(a.counters().stale, 2U);
  submit(b, 1);
  EXPECT_EQ(deliver(a, all(b, kSecond), kSecond).size(), 1U);
  EXPECT_EQ(a.last_received(), kSecond);
}

TEST_F(LinkTest, AnUnknownPeerIsTheFirstToAnswer) {
  a = Link({kA, 100, kJob}, kB, 0);
  submit(a, 1);
  EXPECT_EQ(open(all(a, kSecond)[0]).header.peer_incarnation, 0U);
  submit(b, 5);
  EXPECT_EQ(deliver(a, all(b, kSecond), kSecond).size(), 1U);
  EXPECT_EQ(a.peer_incarnation(), 101U);
  Link other({kB, 102, kJob}, kA, 100);
  submit(other, 6);
  EXPECT_TRUE(deliver(a, all(other, kSecond), kSecond).empty());
}

TEST_F(LinkTest, UnsentMessagesCannotBeAcknowledged) {
  for (RoundId i = 1; i <= Link::kWindowMessages + 1; ++i) submit(a, i);
  all(a, kSecond);
  Header header = from_b(Kind::ack);
  header.acknowledged = ~std::uint64_t{0};
  EXPECT_EQ(a.receive(header, encode_message(Ack{}), kSecond).arrival, Link::Arrival::taken);
  EXPECT_FALSE(a.drained()) << "the last one is still queued";
  EXPECT_EQ(all(a, kSecond).size(), 1U);
}

TEST_F(LinkTest, AnEndingProcessAcknowledgesAtOnce) {
  submit(a, 1);
  deliver(b, all(a, kSecond), kSecond);
  b.close();
  deliver(a, all(b, kSecond), kSecond);
  EXPECT_TRUE(a.drained());
}

// ---- pieces ----

// It was sent whole, the receiver's transport cut the connection, and it was sent again forever.
TEST_F(LinkTest, ALargeMessageIsSentInPieces) {
  a = link_of(kA, kB, 100);
  std::vector<std::byte> rows(1000);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::byte>(i * 7);
  a.submit(kA, kB, Kind::lease, encode_message(Lease{1, 2, 3, Bytes::from(rows)}));
  submit(a, 77);
  EXPECT_TRUE(a.queued().ends_with(" bytes in 2 messages")) << a.queued();
  const auto sent = all(a, kSecond);
  ASSERT_EQ(sent.size(), 1 + 10 + 1U) << "the body, ten pieces of the blob, and what follows";
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_EQ(open(sent[i]).header.kind, Kind::piece);
    EXPECT_EQ(open(sent[i]).header.sequence, i + 1);
    EXPECT_LE(size_of(sent[i]), 100 + kHeaderSize + 24) << "a packet is not larger than a piece and its headers";
    const Link::Arrived in = give(b, sent[i], kSecond);
    ASSERT_EQ(in.arrival, i < 10 ? Link::Arrival::taken : Link::Arrival::deliver) << in.status.what();
    if (i < 10) continue;
    EXPECT_EQ(in.message.from, kA);
    EXPECT_EQ(in.message.to, kB);
    ASSERT_EQ(in.message.kind, Kind::lease);
    const auto lease = std::get<Lease>(*decode_message(Kind::lease, in.message.frames));
    EXPECT_EQ(lease.to, 2U);
    EXPECT_TRUE(std::equal(rows.begin(), rows.end(), lease.rows.view().begin(), lease.rows.view().end()));
  }
  EXPECT_EQ(arrive(b, sent[11], kSecond), 77U);
}

TEST_F(LinkTest, PiecesThatDoNotFitTogetherAreWrong) {
  const auto piece = [](std::uint64_t sequence, NodeId to, const Message& message) {
    Header header = from_b(kind_of(message));
    header.to = to;
    header.sequence = sequence;
    return with_header(header, encode_message(message));
  };
  const Bytes two = bytes_of(2);
  const std::vector<std::pair<NodeId, Message>> wrong = {
      {kA, Piece{Kind::lease, 0, 2, 3, 6, two}},                    // not where the one before ended
      {kA, Piece{Kind::lease, 0, 2, 2, 7, two}},                    // of another frame
      {kA, Piece{Kind::lease, 1, 2, 0, 2, two}},                    // a frame too early
      {kA, Piece{Kind::lease, 0, 3, 2, 6, two}},                    // of a message of more frames
      {kA, Piece{Kind::put, 0, 2, 2, 6, two}},                      // of another kind
      {{Role::partition, 0}, Piece{Kind::lease, 0, 2, 2, 6, two}},  // to another node
      {kA, Piece{Kind::lease, 0, 2, 2, 6, {}}},                     // of nothing
      {kA, Piece{Kind::lease, 0, 2, 2, 3, two}},                    // longer than its frame
      {kA, HasRead{1}}};                                            // a message between
  for (const auto& [to, second] : wrong) {
    a = link_of(kA, kB);
    EXPECT_EQ(give(a, piece(1, kA, Piece{Kind::lease, 0, 2, 0, 6, two}), kSecond).arrival, Link::Arrival::taken);
    const Link::Arrived in = give(a, piece(2, to, second), kSecond);
    EXPECT_EQ(in.arrival, Link::Arrival::wrong);
    EXPECT_FALSE(in.status.what().empty());
  }
  for (const Piece& first : {Piece{Kind::hello, 0, 1, 0, 4, two}, Piece{Kind::piece, 0, 1, 0, 4, two},
                             Piece{Kind::ack, 0, 1, 0, 4, two}, Piece{Kind::ask_status, 0, 1, 0, 4, two},
                             Piece{Kind::lease, 1, 2, 0, 4, two}, Piece{Kind::lease, 0, 1, 2, 4, two},
                             Piece{Kind::lease, 0, 0, 0, 4, two}, Piece{Kind::lease, 0, kFramesMax, 0, 4, two}}) {
    a = link_of(kA, kB);
    EXPECT_EQ(give(a, piece(1, kA, first), kSecond).arrival, Link::Arrival::wrong);
  }
}

// A window of large messages was acknowledged only by ticks, a dozen times a second.
TEST_F(LinkTest, ManyBytesAreAcknowledgedWithoutATick) {
  const Frames half = encode_message(Lease{0, 0, 0, bytes_of(kPieceBytes - 100)});
  for (int i = 0; i < 8; ++i) a.submit(kA, kB, Kind::lease, half);
  const auto sent = all(a, kSecond);
  ASSERT_EQ(sent.size(), 8U);
  EXPECT_EQ(give(b, sent[0], kSecond).arrival, Link::Arrival::deliver);
  EXPECT_EQ(give(b, sent[1], kSecond).arrival, Link::Arrival::deliver);
  EXPECT_TRUE(all(b, kSecond).empty());
  EXPECT_EQ(give(b, sent[2], kSecond).arrival, Link::Arrival::deliver);
  EXPECT_EQ(all(b, kSecond).size(), 1U);
}

// Stale, repeated and early messages were decoded, which took memory.
TEST_F(LinkTest, OnlyTheNextMessageIsDecoded) {
  Header header = from_b(Kind::probe);
  header.incarnation = 50;
  const Frames garbage = {bytes_of(3)};
  EXPECT_EQ(a.receive(header, garbage, kSecond).arrival, Link::Arrival::stale);
  header.incarnation = 101;
  EXPECT_EQ(a.receive(header, garbage, kSecond).arrival, Link::Arrival::wrong);
  header.kind = Kind::piece;
  header.sequence = 2;
  EXPECT_EQ(a.receive(header, garbage, kSecond).arrival, Link::Arrival::taken) << "ahead";
  header.sequence = 1;
  EXPECT_EQ(a.receive(header, garbage, kSecond).arrival, Link::Arrival::wrong);
}

// The peer's link was replaced after some messages had been sent to the earlier one.
TEST_F(LinkTest, AGreetingResendsEarlierMessages) {
  submit(a, 1);
  submit(a, 2);
  EXPECT_EQ(all(a, kSecond).size(), 2U) << "and lost";
  b.greet();
  deliver(a, all(b, kSecond), kSecond);
  EXPECT_EQ(deliver(b, all(a, kSecond), kSecond), (std::vector<RoundId>{1, 2}));
}

// A process in a long hook sends one every second, and each caused all unacknowledged messages to be sent again.
TEST_F(LinkTest, AHeartbeatResendsNothing) {
  submit(a, 1);
  EXPECT_EQ(all(a, kSecond).size(), 1U);
  const Header header = from_b(Kind::ack);
  for (int second = 2; second < 10; ++second) {
    give(a, with_header(header, encode_message(Ack{kSignOfLife})), second * kSecond);
    for (const Frames& frames : all(a, second * kSecond)) EXPECT_NE(open(frames).header.kind, Kind::has_read) << second;
  }
  give(a, with_header(header, encode_message(Ack{})), 10 * kSecond);
  EXPECT_EQ(open(all(a, 10 * kSecond).at(0)).header.kind, Kind::has_read) << "the peer has nothing yet";
}

TEST_F(LinkTest, UnsentMessagesOfAnEarlierEraAreDropped) {
  const auto submit_in_era = [&](RoundId round, std::uint64_t era) {
    a.submit(kA, kB, Kind::has_read, encode_message(HasRead{round}), era);
  };
  submit_in_era(1, 1);
  const auto sent = all(a, kSecond);
  submit_in_era(2, 1);
  submit_in_era(3, 0);
  submit_in_era(4, 2);
  const std::size_t queued = a.queued_bytes();
  a.forget_before(2);
  EXPECT_LT(a.queued_bytes(), queued);
  EXPECT_EQ(deliver(b, sent, kSecond), (std::vector<RoundId>{1})) << "it was sent before";
  EXPECT_EQ(deliver(b, all(a, kSecond), kSecond), (std::vector<RoundId>{3, 4}));
  acknowledge();
  EXPECT_TRUE(a.drained());
  EXPECT_EQ(a.queued_bytes(), 0U);
}

TEST_F(LinkTest, APartlySentMessageIsCompleted) {
  a = link_of(kA, kB, 16);
  Lease lease;
  lease.to = 5;
  lease.rows = bytes_of(600 * std::size_t{16});  // more pieces than the window has room for
  a.submit(kA, kB, Kind::lease, encode_message(lease), 1);
  std::vector<RoundId> come = deliver(b, all(a, kSecond), kSecond);
  EXPECT_TRUE(come.empty());
  a.submit(kA, kB, Kind::has_read, encode_message(HasRead{7}), 1);
  a.submit(kA, kB, Kind::has_read, encode_message(HasRead{8}), 2);
  a.forget_before(2);
  for (int i = 0; i < 5; ++i) {
    acknowledge();
    for (const RoundId number : deliver(b, all(a, kSecond), kSecond)) come.push_back(number);
  }
  EXPECT_EQ(come, (std::vector<RoundId>{5, 8}));
}

}  // namespace
}  // namespace rota
