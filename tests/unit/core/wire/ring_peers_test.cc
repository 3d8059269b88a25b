// Processes of one machine, all in this program, that pass messages through shared memory.
#include "core/wire/ring_peers.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "tests/unit/core/base/temporary_folder.h"

namespace rota::ring_peers {
namespace {

constexpr std::size_t kMost = std::size_t{64} << 20;
constexpr NodeId kOne{Role::worker, 1}, kTwo{Role::worker, 2};

struct End {
  explicit End(std::filesystem::path file)
      : path(std::move(file)), rings(*RingPeers::listen(path.string(), doorbell, kMost)) {}

  // Handles what has happened to connections.
  Transport::Events turn() {
    Transport::Events events;
    rings->handle_connections(events);
    rings->resume(events);
    return events;
  }
  // Whether its doorbell was rung since the last call.
  bool rung() const {
    std::uint64_t count = 0;
    return ::read(doorbell.get(), &count, sizeof count) == sizeof count;
  }

  std::filesystem::path path;
  FileDescriptor doorbell{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  std::unique_ptr<RingPeers> rings;
};

Frames message(std::uint8_t number, std::size_t size = 100) {
  return {Bytes::from(std::vector<std::byte>(size, std::byte{number}))};
}
int number_of(const std::optional<Frames>& frames) {
  return frames ? std::to_integer<int>(frames->front().view().front()) : -1;
}

class RingPeersTest : public TemporaryFolder {
 protected:
  RingPeers::Sent send(End& from, NodeId peer, const End& to, const Frames& frames) {
    return from.rings->send(peer, to.path.string(), frames);
  }
  // The first attempt connects.
  void connect(End& from, NodeId peer, End& to) {
    ASSERT_EQ(send(from, peer, to, message(0)), RingPeers::Sent::not_now);
    to.turn();  // accepts
    to.turn();  // answers
    EXPECT_EQ(from.turn().writable, std::vector{peer});
  }
};

TEST_F(RingPeersTest, MessagesArriveAndASleeperIsWokenOnceForAll) {
  End one(folder / "one"), two(folder / "two");
  connect(one, kTwo, two);
  EXPECT_EQ(send(one, kTwo, two, message(1)), RingPeers::Sent::yes);
  one.rings->flush();
  EXPECT_FALSE(two.rung()) << "it is awake";
  EXPECT_FALSE(two.rings->begin_sleep()) << "a message is there";
  EXPECT_EQ(number_of(two.rings->receive()), 1);
  EXPECT_EQ(number_of(two.rings->receive()), -1);
  EXPECT_TRUE(two.rings->begin_sleep());
  send(one, kTwo, two, message(2));
  send(one, kTwo, two, message(3));
  EXPECT_FALSE(two.rung()) << "the sender may have more";
  one.rings->flush();
  EXPECT_TRUE(two.rung());
  one.rings->flush();
  EXPECT_FALSE(two.rung()) << "there is nothing more";
  two.rings->end_sleep();
  EXPECT_EQ(number_of(two.rings->receive()), 2);
  EXPECT_EQ(number_of(two.rings->receive()), 3);
}

TEST_F(RingPeersTest, SendersAreServedInTurn) {
  End one(folder / "one"), two(folder / "two"), reader(folder / "reader");
  connect(one, kOne, reader);
  connect(two, kOne, reader);
  for (std::uint8_t i = 1; i <= 3; ++i) {
    send(one, kOne, reader, message(i));
    send(two, kOne, reader, message(static_cast<std::uint8_t>(10 * i)));
  }
  std::vector<int> got;
  while (const auto frames = reader.rings->receive()) got.push_back(number_of(frames));
  EXPECT_TRUE((got == std::vector{1, 10, 2, 20, 3, 30} || got == std::vector{10, 1, 20, 2, 30, 3}));
}

TEST_F(RingPeersTest, AReaderThatStoppedMakesItsSenderWaitUntilItReads) {
  End one(folder / "one"), two(folder / "two");
  connect(one, kTwo, two);
  int taken = 0;
  while (send(one, kTwo, two, message(7, kRingLeast / 4)) == RingPeers::Sent::yes) ++taken;
  EXPECT_EQ(taken, 4);
  EXPECT_TRUE(one.turn().writable.empty());
  EXPECT_FALSE(one.rung());
  EXPECT_EQ(number_of(two.rings->receive()), 7);
  EXPECT_TRUE(one.rung()) << "there is space";
  EXPECT_EQ(one.turn().writable, std::vector{kTwo});
  for (int i = 1; i < taken; ++i) EXPECT_EQ(number_of(two.rings->receive()), 7);
  EXPECT_EQ(send(one, kTwo, two, message(8)), RingPeers::Sent::yes);
  EXPECT_EQ(number_of(two.rings->receive()), 8);
}

TEST_F(RingPeersTest, TheLastMessagesOfAnEndedProcessArriveAndHalfAMessageDoesNot) {
  End two(folder / "two");
  {
    End one(folder / "one");
    connect(one, kTwo, two);
    send(one, kTwo, two, message(1));
    send(one, kTwo, two, message(2, 2 * kRingBytes));
  }
  two.turn();
  EXPECT_EQ(number_of(two.rings->receive()), 1);
  EXPECT_EQ(number_of(two.rings->receive()), -1);
  EXPECT_TRUE(two.rings->begin_sleep()) << "nothing is left of it";
}

TEST_F(RingPeersTest, AnEndedReaderIsReportedAndItsSuccessorIsConnected) {
  End one(folder / "one");
  {
    End two(folder / "two");
    connect(one, kTwo, two);
    EXPECT_EQ(send(one, kTwo, two, message(1)), RingPeers::Sent::yes);
  }
  EXPECT_EQ(one.turn().disconnected, std::vector{kTwo});
  End again(folder / "two");
  connect(one, kTwo, again);
  EXPECT_EQ(send(one, kTwo, again, message(2)), RingPeers::Sent::yes);
  EXPECT_EQ(number_of(again.rings->receive()), 2) << "and not what its predecessor had not read";
}

TEST_F(RingPeersTest, AProcessWithoutRingsIsToldApartFromOneThatDoesNotListen) {
  End one(folder / "one");
  EXPECT_EQ(one.rings->send(kTwo, (folder / "two").string(), message(1)), RingPeers::Sent::no_ring);
  EXPECT_EQ(one.rings->send(kTwo, "/" + std::string(200, 'x'), message(1)), RingPeers::Sent::no_ring);
  {
    const std::string dead = (folder / "three").string() + ".ring";
    FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, dead.c_str());
    ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  EXPECT_EQ(one.rings->send(kTwo, (folder / "three").string(), message(1)), RingPeers::Sent::not_now);
}

TEST_F(RingPeersTest, AStrangerThatSaysSomethingElseIsClosed) {
  End one(folder / "one");
  const std::string path = one.path.string() + ".ring";
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());
  for (const std::string text : {"", "hello", "Rotarng1"}) {  // the last without descriptors
    FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET, 0));
    ASSERT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    one.turn();
    ASSERT_EQ(::send(socket.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    if (text.empty()) ::shutdown(socket.get(), SHUT_WR);
    one.turn();
    pollfd closed = {socket.get(), POLLIN, 0};
    ASSERT_EQ(::poll(&closed, 1, 1000), 1);
    char byte = 0;
    EXPECT_EQ(::recv(socket.get(), &byte, 1, MSG_DONTWAIT), 0);
  }
  EXPECT_TRUE(one.rings->begin_sleep());
}

}  // namespace
}  // namespace rota::ring_peers
