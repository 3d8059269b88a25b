// Two hosts in one program, over real sockets in a folder of their own.
#include "core/wire/zmq_transport.h"

#include <sys/resource.h>

#include "core/base/clock.h"
#include "tests/unit/core/base/temporary_folder.h"
#include "tests/unit/core/runtime/hosts.h"

namespace rota {
namespace {

using tests::kJob;
using tests::kWorker;
using tests::Listener;

std::size_t descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

struct Process {
  Process(const std::filesystem::path& folder, NodeId id, std::size_t message_bytes_max)
      : Process(Listening{.ipc = "ipc://" + (folder / id.name()).string()}, id, message_bytes_max) {}
  Process(const Listening& at, NodeId id, std::size_t message_bytes_max)
      : transport(*ZmqTransport::open(at, message_bytes_max)),
        host({id, 1 + id.index + 10 * static_cast<std::uint64_t>(id.role), kJob, transport->endpoint(), 30 * kSecond,
              60 * kSecond, 0, piece_bytes_for(message_bytes_max)}) {}

  // One turn of the loop of a process.
  void turn() {
    const Outbox::World world{now_ns(), 0, 0};
    while (auto frames = transport->receive()) host.receive(*frames, world, transport->origin());
    host.tick(world);
    while (auto out = host.next(world.now))
      if (!transport->send(out->peer, out->endpoint, out->frames)) host.not_taken(out->peer);
    for (const NodeId gone : host.take_forgotten()) transport->forget(gone);
    for (const NodeId peer : transport->wait(1).writable) host.writable(peer);
  }

  std::unique_ptr<ZmqTransport> transport;
  Host host;
};

// Two processes that know each other; the second one's node records what it receives.
struct Pair {
  Pair(const std::filesystem::path& folder, std::size_t message_bytes_max)
      : one(folder, kCoordinator, message_bytes_max), two(folder, kWorker, message_bytes_max) {
    one.host.register_peer({kWorker, two.transport->endpoint(), 1 + 10 * static_cast<std::uint64_t>(Role::worker)});
    two.host.register_peer(
        {kCoordinator, one.transport->endpoint(), 1 + 10 * static_cast<std::uint64_t>(Role::coordinator)});
    one.host.add(std::make_unique<Listener>(kCoordinator, [this](const Envelope&, Outbox& out) {
      errand(out);
      return Status();
    }));
    auto node = std::make_unique<Listener>(kWorker);
    received = &node->received;
    two.host.add(std::move(node));
  }
  // The first process' node does this.
  void act(std::function<void(Outbox&)> what) {
    errand = std::move(what);
    one.host.tell(kCoordinator, Ready{}, {now_ns(), 0, 0});
  }
  void until_received(std::size_t count) {
    while (received->size() < count && !one.host.ended() && !two.host.ended()) {
      one.turn();
      two.turn();
    }
  }

  Process one, two;
  std::function<void(Outbox&)> errand;
  std::vector<Envelope>* received = nullptr;
};

using ZmqTransportTest = TemporaryFolder;

void answer_status(Process& coordinator) {
  coordinator.host.add(std::make_unique<Listener>(kCoordinator, [](const Envelope& in, Outbox& out) {
    if (std::holds_alternative<AskStatus>(in.message)) out.send(in.from, StatusReport{"{}"});
    return Status();
  }));
}

// An observer asks the coordinator at this address for its status, and ends with the answer; returns their number.
std::size_t ask_status(Process& coordinator, NodeId id, const std::string& at, const std::string& endpoint) {
  Process observer(Listening{}, id, std::size_t{1} << 20);
  EXPECT_EQ(observer.transport->endpoint(), "");
  auto node = std::make_unique<Listener>(id, [](const Envelope&, Outbox& out) {
    out.end(ExitCode::ok, "answered");
    return Status();
  });
  const Listener& listener = *node;
  observer.host.add(std::move(node));
  observer.host.register_peer({kCoordinator, at, 0});
  observer.host.ask({endpoint}, now_ns());
  while (!observer.host.ended() || coordinator.host.queued_to(id) > 0) {
    observer.turn();
    coordinator.turn();
  }
  EXPECT_EQ(observer.host.ended()->what, "answered") << at;
  return listener.count<StatusReport>();
}

// The receiver's transport closed the connection at a message over its limit, and the sender sent it again forever.
TEST_F(ZmqTransportTest, AMessageOverTheLimitPassesInPieces) {
  Pair pair(folder, std::size_t{1} << 20);
  std::vector<std::byte> rows(std::size_t{5} << 20);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::byte>((i * 2654435761U) >> 13);
  pair.act([&](Outbox& out) {
    out.send(kWorker, Lease{1, 2, 3, Bytes::from(rows)});
    out.send(kWorker, HasRead{4});
  });
  pair.until_received(2);
  ASSERT_EQ(pair.received->size(), 2U);
  const auto& lease = std::get<Lease>((*pair.received)[0].message);
  ASSERT_EQ(lease.rows.size(), rows.size());
  EXPECT_TRUE(std::equal(rows.begin(), rows.end(), lease.rows.view().begin()));
  EXPECT_EQ(std::get<HasRead>((*pair.received)[1].message).number, 4U);
  EXPECT_EQ(pair.two.transport->dropped(), 0U);
}

// The number of frames and their total size are limited too, not only the size of each.
Listening loopback(std::vector<std::string> numbers, std::uint16_t port = 0, std::string host = "127.0.0.1") {
  return {.ipc = {}, .numbers = std::move(numbers), .port = port, .advertised = {std::move(host), 0}};
}

TEST_F(ZmqTransportTest, PollSeesMessagesAndWakeUps) {
  Pair pair(folder, std::size_t{1} << 20);
  pair.act([](Outbox& out) { out.send(kWorker, HasRead{1}); });
  pair.until_received(1);
  for (int i = 0; i < 3; ++i) {  // the answer's ring is connected, too
    pair.one.turn();
    pair.two.turn();
  }
  ZmqTransport& two = *pair.two.transport;
  EXPECT_FALSE(two.poll(kMillisecond)) << "there is nothing";
  two.wake();
  EXPECT_TRUE(two.poll(60 * kSecond));
  EXPECT_FALSE(two.poll(kMillisecond)) << "once";
  pair.act([](Outbox& out) { out.send(kWorker, HasRead{2}); });
  pair.one.turn();
  EXPECT_TRUE(two.poll(60 * kSecond));
  const auto tcp = *ZmqTransport::open(loopback({"127.0.0.1"}), std::size_t{1} << 20);
  EXPECT_FALSE(tcp->poll(3600 * kSecond)) << "it cannot look";
}

// Sends messages of which three are too large; returns how many were dropped by the receiver and by the sender.
std::pair<std::uint64_t, std::uint64_t> dropped(Process& server, Process& client, std::size_t most) {
  const Bytes one = Bytes::from({std::byte{1}}), half = Bytes::from(std::vector<std::byte>(most / 2));
  const Bytes whole = Bytes::from(std::vector<std::byte>(most));
  const std::vector<Frames> sent = {Frames(kFramesMax + 1, one), Frames(3, half), {whole, one},
                                    Frames(kFramesMax, one),     Frames(2, half), {whole}};
  std::vector<std::size_t> received;
  const auto turn = [&] {
    client.transport->wait(5);
    server.transport->wait(5);
    while (const auto frames = server.transport->receive()) received.push_back(frames->size());
  };
  for (const Frames& frames : sent)
    while (!client.transport->send(kCoordinator, server.transport->endpoint(), frames)) turn();
  while (received.size() < 3) turn();
  EXPECT_EQ(received, (std::vector<std::size_t>{kFramesMax, 2, 1}));
  return {server.transport->dropped(), client.transport->dropped()};
}

TEST_F(ZmqTransportTest, MessagesOverTheLimitsAreDroppedAndTheNextIsDelivered) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  Process server(folder, kCoordinator, kMost), client(folder, kWorker, kMost);
  EXPECT_EQ(dropped(server, client, kMost), std::pair(std::uint64_t{0}, std::uint64_t{3}));
  Process far_server(loopback({"127.0.0.1"}), kCoordinator, kMost), far_client(loopback({"127.0.0.1"}), kWorker, kMost);
  EXPECT_EQ(dropped(far_server, far_client, kMost), std::pair(std::uint64_t{3}, std::uint64_t{0}));
}

// Each observer leaked three sockets and three descriptors of the coordinator.
TEST_F(ZmqTransportTest, ObserversLeakNoDescriptors) {
  Process coordinator(folder, kCoordinator, std::size_t{1} << 20);
  answer_status(coordinator);
  std::size_t before = 0;
  for (std::uint32_t call = 0; call < 40; ++call) {
    const std::string& at = coordinator.transport->endpoint();
    EXPECT_EQ(ask_status(coordinator, {Role::observer, call}, at, "ipc:///not/connected/to"), 1U);
    if (call == 4) before = descriptors();
  }
  // Sockets are closed by ZeroMQ's own thread, so a few of the last may still be there.
  EXPECT_LT(descriptors(), before + 40) << "35 observers have connected and left";
}

std::uint64_t peak_bytes() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
}

TEST_F(ZmqTransportTest, APortInUseIsNotRetried) {
  const auto first = ZmqTransport::open(loopback({"127.0.0.1"}), 1 << 20);
  ASSERT_TRUE(first.ok());
  const std::uint16_t port = tcp_address((*first)->endpoint())->port;
  const Status second = ZmqTransport::open(loopback({"127.0.0.1"}, port), 1 << 20).status();
  EXPECT_EQ(second.code(), ExitCode::usage);
  EXPECT_TRUE(second.what().starts_with("cannot listen at tcp://127.0.0.1:" + std::to_string(port) + ": it is in use"))
      << second.what();
  EXPECT_EQ(ZmqTransport::open(loopback({"192.0.2.77"}), 1 << 20).status().code(), ExitCode::usage);
}

// Several numbers of one name get the same port.
TEST_F(ZmqTransportTest, ListensAtAllNumbersOfAName) {
  auto numbers = own_numbers("::1").ok() ? std::vector<std::string>{"127.0.0.1", "::1"}
                                         : std::vector<std::string>{"127.0.0.1", "127.0.0.2"};
  Process coordinator(loopback(numbers, 0, "localhost"), kCoordinator, 1 << 20);
  answer_status(coordinator);
  const std::uint16_t port = tcp_address(coordinator.transport->endpoint())->port;
  EXPECT_EQ(coordinator.transport->endpoint(), "tcp://localhost:" + std::to_string(port));
  numbers.emplace_back("localhost");
  for (const std::string& number : numbers) {
    const NodeId id{Role::observer, static_cast<std::uint32_t>(&number - numbers.data())};
    EXPECT_EQ(ask_status(coordinator, id, TcpAddress{number, port}.text(), ""), 1U);
  }
}

// By hand, as it takes much memory: ROTA_LARGE_GB=3 sends a blob and a cut of 3 GiB.
TEST_F(ZmqTransportTest, MessagesOfAnySize) {
  const char* asked = std::getenv("ROTA_LARGE_GB");
  const std::size_t bytes = asked == nullptr ? std::size_t{20} << 20 : std::strtoull(asked, nullptr, 10) << 30;
  const auto say = [&](const char* what) {
    if (asked != nullptr) std::printf("%s: peak memory of both %.2f GiB\n", what, double(peak_bytes()) / (1 << 30));
  };
  Pair pair(folder, std::size_t{64} << 20);
  {
    const Bytes blob = Bytes::from(std::vector<std::byte>(bytes, std::byte{7}));
    say("one blob made");
    pair.act([&](Outbox& out) { out.send(kWorker, Lease{1, 2, 3, blob}); });
    pair.until_received(1);
    ASSERT_EQ(pair.received->size(), 1U);
    EXPECT_EQ(std::get<Lease>((*pair.received)[0].message).rows.size(), bytes);
    say("one blob passed");
    pair.received->clear();
  }
  CutMade cut;
  cut.cut.slices.resize(8);
  for (Key key = 0; key < bytes / sizeof(Key); ++key) cut.cut.slices[key % 8].push_back(key);
  pair.act([&](Outbox& out) { out.send(kWorker, std::move(cut)); });
  pair.until_received(1);
  ASSERT_EQ(pair.received->size(), 1U);
  std::size_t keys = 0;
  for (const auto& slice : std::get<CutMade>((*pair.received)[0].message).cut.slices) keys += slice.size();
  EXPECT_EQ(keys, bytes / sizeof(Key));
  say("a cut passed");
}

}  // namespace
}  // namespace rota
