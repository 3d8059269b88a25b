// Links over networks that lose.
#include <deque>

#include "tests/unit/core/wire/link_ends.h"

namespace rota {
namespace {

// Frames in transit in one direction: in order, and all lost when the connection breaks.
struct Connection {
  std::deque<Frames> on_its_way;
};

// A message of few bytes or of some more, so that some go in pieces.
void submit_some(Link& link, RoundId number) {
  if (number % 3 != 0) return submit(link, number);
  link.submit(kA, kB, Kind::lease, encode_message(Lease{0, number, 0, bytes_of(number % 100)}));
}

struct Conversation {
  explicit Conversation(std::uint64_t seed) : random(seed), loss(0.3 * share()), breaks(0.05 * share()) {}

  double share() { return std::uniform_real_distribution<double>()(random); }
  bool chance(double p) { return share() < p; }

  void send(Link& link, Connection& connection) {
    while (auto frames = link.next(now)) {
      if (chance(0.1)) {
        link.not_taken();
        return;
      }
      if (chance(breaks)) {
        lost += connection.on_its_way.size() + 1;
        connection.on_its_way.clear();
      } else if (chance(loss)) {
        ++lost;
      } else {
        connection.on_its_way.push_back(*frames);
        if (chance(0.1)) connection.on_its_way.push_back(*std::move(frames));
      }
    }
  }
  void receive(Link& link, Connection& connection, std::vector<RoundId>& delivered) {
    for (std::size_t left = random() % (connection.on_its_way.size() + 1); left > 0; --left) {
      if (const auto number = arrive(link, connection.on_its_way.front(), now)) delivered.push_back(*number);
      connection.on_its_way.pop_front();
    }
  }

  std::mt19937_64 random;
  double loss, breaks;
  Nanoseconds now = kSecond;
  std::size_t lost = 0;
};

TEST(Link, EveryScheduleOfLossDeliversAllInOrderAndOnce) {
  std::size_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Conversation talk(seed);
    const std::size_t piece = seed % 2 == 0 ? kPieceBytes : 1 + seed % 40;
    Link a = link_of(kA, kB, piece), b = link_of(kB, kA, piece);
    Connection to_a, to_b;
    std::vector<RoundId> at_a, at_b;
    const RoundId from_a = 50 + talk.random() % 200, from_b = talk.random() % 100;
    RoundId said_a = 0, said_b = 0;
    bool whole = false;
    for (int step = 0; step < 200000 && !whole; ++step) {
      while (said_a < from_a && talk.chance(0.5)) submit_some(a, ++said_a);
      while (said_b < from_b && talk.chance(0.5)) submit_some(b, ++said_b);
      talk.send(a, to_b);
      talk.receive(b, to_b, at_b);
      talk.send(b, to_a);
      talk.receive(a, to_a, at_a);
      talk.now += 50 * kMillisecond;
      a.tick(talk.now);
      b.tick(talk.now);
      whole = said_a == from_a && said_b == from_b && a.drained() && b.drained();
    }
    ASSERT_TRUE(whole) << "seed " << seed << ": " << at_b.size() << " of " << from_a << ", " << at_a.size() << " of "
                       << from_b;
    for (const auto& [delivered, count] : {std::pair(&at_b, from_a), std::pair(&at_a, from_b)}) {
      ASSERT_EQ(delivered->size(), count) << "seed " << seed;
      for (RoundId i = 0; i < count; ++i) ASSERT_EQ((*delivered)[i], i + 1) << "seed " << seed;
    }
    lost += talk.lost;
  }
  EXPECT_GT(lost, 1000U) << "a network that loses nothing shows nothing";
}

// A connection that breaks in every long burst, which is lost as a whole.
TEST(Link, LostBurstsArriveInShorterOnes) {
  Link a = link_of(kA, kB), b = link_of(kB, kA);
  submit(a, 1);
  deliver(b, all(a, kSecond), kSecond);
  b.tick(kSecond);
  deliver(a, all(b, kSecond), kSecond);
  for (RoundId i = 2; i <= 201; ++i) submit(a, i);
  std::vector<RoundId> arrived;
  Nanoseconds now = 2 * kSecond;
  for (int turn = 0; turn < 2000 && !a.drained(); ++turn, now += kSecond / 2) {
    a.tick(now);
    const auto burst = all(a, now);
    if (burst.size() <= 5)
      for (const RoundId number : deliver(b, burst, now)) arrived.push_back(number);
    b.tick(now);
    deliver(a, all(b, now), now);
  }
  EXPECT_TRUE(a.drained());
  ASSERT_EQ(arrived.size(), 200U);
  for (std::size_t i = 0; i < arrived.size(); ++i) EXPECT_EQ(arrived[i], i + 2);
}

}  // namespace
}  // namespace rota
