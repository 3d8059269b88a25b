#include "core/runtime/listening.h"

namespace rota::listening {
namespace {

struct Process {
  NodeId id;
  JobConfig config;
};
Process process(NodeId id, const std::string& coordinator, const std::string& host = "", const std::string& bind = "") {
  JobConfig settings;
  settings.coordinator = coordinator;
  settings.host = host;
  settings.bind = bind;
  settings.insecure = true;
  return {id, settings};
}

constexpr NodeId kWorker{Role::worker, 3};

// "NUMBER ... PORT, announced as ADDRESS", or the error.
std::string where(const Process& at_this) {
  const auto at = listening_of(at_this.id, at_this.config, 12345678901);
  if (!at.ok()) return std::to_string(static_cast<int>(at.status().code())) + " " + at.status().what();
  if (!at->ipc.empty()) return at->ipc;
  std::string text;
  for (const std::string& number : at->numbers) text += number + " ";
  return text + std::to_string(at->port) + ", announced as " + at->advertised.text();
}

TEST(Listening, OverIpcIsBesideTheCoordinator) {
  EXPECT_EQ(where(process(kCoordinator, "ipc:///a/c")), "ipc:///a/c");
  EXPECT_EQ(where(process(kWorker, "ipc:///a/c")), "ipc:///a/worker-3-345678901");
}

TEST(Listening, ALoopbackRunDoesNotListenElsewhere) {
  EXPECT_EQ(where(process(kCoordinator, "tcp://127.0.0.1:7000")), "127.0.0.1 7000, announced as tcp://127.0.0.1:7000");
  EXPECT_EQ(where(process(kWorker, "tcp://127.0.0.1:7000")), "127.0.0.1 0, announced as tcp://127.0.0.1:0");
  EXPECT_EQ(where(process(kWorker, "tcp://127.0.0.1:7000", "127.0.0.2")),
            "127.0.0.2 0, announced as tcp://127.0.0.2:0");
}

TEST(Listening, OthersAreReachedAtAllInterfaces) {
  EXPECT_EQ(where(process(kCoordinator, "tcp://node1.example:7000")), "* 7000, announced as tcp://node1.example:7000");
  EXPECT_EQ(where(process(kCoordinator, "tcp://*:0", "node1.example")), "* 0, announced as tcp://node1.example:0");
  EXPECT_EQ(where(process(kWorker, "tcp://node1.example:7000", "node2.example")),
            "* 0, announced as tcp://node2.example:0");
  EXPECT_EQ(where(process(kWorker, "tcp://node1.example:7000", "fd00::7")), "* 0, announced as tcp://[fd00::7]:0");
}

TEST(Listening, BindIsApartFromTheHost) {
  EXPECT_EQ(where(process(kCoordinator, "tcp://node1.example:7000", "", "127.0.0.2")),
            "127.0.0.2 7000, announced as tcp://node1.example:7000");
  EXPECT_EQ(where(process(kCoordinator, "tcp://node1.example:7000", "", "127.0.0.2:7001")),
            "127.0.0.2 7001, announced as tcp://node1.example:7000");
  EXPECT_EQ(where(process(kCoordinator, "tcp://*:7000", "127.0.0.1")), "* 7000, announced as tcp://127.0.0.1:7000")
      << "an explicit * is kept";
  EXPECT_EQ(where(process(kWorker, "tcp://127.0.0.1:7000", "", "*:7005")), "* 7005, announced as tcp://127.0.0.1:0");
}

TEST(Listening, ErrorsAreReported) {
  EXPECT_EQ(where(process(kWorker, "tcp://127.0.0.1")),
            "2 --coordinator: 'tcp://127.0.0.1' is no address: HOST:PORT, or [HOST]:PORT for IPv6, is one");
  EXPECT_EQ(where(process(kWorker, "tcp://*:7000")),
            "2 --coordinator: tcp://*:7000 is where one listens; others need a host and a port to reach");
  EXPECT_EQ(where(process(kWorker, "tcp://127.0.0.1:0")),
            "2 --coordinator: tcp://127.0.0.1:0 is where one listens; others need a host and a port to reach");
  EXPECT_EQ(where(process(kWorker, "tcp://127.0.0.1:7000", "*")),
            "2 --host: '*' is neither a name nor a number of a host");
  EXPECT_EQ(where(process(kWorker, "tcp://127.0.0.1:7000", "", "203.0.113.9")),
            "2 cannot listen at 203.0.113.9: it is no address of this machine");
  EXPECT_EQ(where(process(kWorker, "udp://127.0.0.1:7000")),
            "2 --coordinator must be ipc://PATH or tcp://HOST:PORT, not 'udp://127.0.0.1:7000'");
  auto open = process(kWorker, "tcp://127.0.0.1:7000");
  open.config.insecure = false;
  EXPECT_TRUE(where(open).starts_with("2 tcp ")) << where(open);
}

}  // namespace
}  // namespace rota::listening
