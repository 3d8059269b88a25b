// tests/unit/core/runtime/hosts.h -- any number of hosts, joined by a network that loses nothing.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/runtime/host.h"
#include "tests/unit/core/wire/frames_of.h"

namespace rota::tests {

inline constexpr NodeId kWorker{Role::worker, 0};
inline constexpr std::uint64_t kJob = 77;

// Records the messages it receives, and answers with `answer`.
class Listener final : public Node {
 public:
  using Answer = std::function<Status(const Envelope&, Outbox&)>;
  explicit Listener(NodeId id, Answer answer = nullptr) : id_(id), answer_(std::move(answer)) {}

  NodeId id() const override { return id_; }
  Status step(const Envelope& in, Outbox& out) override {
    received.push_back(in);
    return answer_ ? answer_(in, out) : Status();
  }
  Status peer_disconnected(NodeId process, Outbox&) override {
    disconnected.push_back(process);
    return {};
  }
  void peer_is_alive(NodeId, Nanoseconds) override { ++signs_of_life; }
  void peer_refused(const std::string& who, const std::string& why) override { refusals.push_back(who + ": " + why); }
  void was_suspended(Nanoseconds span, Nanoseconds) override { still += span; }

  template <typename M>
  std::size_t count() const {
    std::size_t all = 0;
    for (const Envelope& in : received) all += std::holds_alternative<M>(in.message) ? 1 : 0;
    return all;
  }
  std::vector<Envelope> received;
  std::vector<NodeId> disconnected;
  std::vector<std::string> refusals;
  int signs_of_life = 0;
  Nanoseconds still = 0;

 private:
  NodeId id_;
  Answer answer_;
};

// As the process' loop does when work of a node has ended.
inline void finish(Host& host, NodeId node, const Continuation& continuation, const Outbox::World& world) {
  host.finish(node, continuation, world);
  host.deliver_local(world);
}

inline Hello hello_of(NodeId process, std::uint64_t incarnation) {
  return {process.name(), "1", {kJob, 0}, incarnation, 1, "here"};
}

// Of a header.
struct Numbers {
  std::uint64_t incarnation = 2, job = kJob, sequence = 1, peer_incarnation = 0;
};

class Hosts : public ::testing::Test {
 protected:
  Host& host(NodeId id, std::uint64_t incarnation, std::uint64_t job = kJob) {
    hosts_[id] = std::make_unique<Host>(Host::Settings{id, incarnation, job, id.name(), 30 * kSecond});
    return *hosts_[id];
  }
  // A coordinator that does nothing but call `answer`.
  Host& hub(std::uint64_t incarnation = 1, Listener::Answer answer = nullptr) {
    auto node = std::make_unique<Listener>(kCoordinator, std::move(answer));
    hub_ = node.get();
    Host& host = this->host(kCoordinator, incarnation);
    host.add(std::move(node));
    return host;
  }
  // A coordinator that welcomes every process that sends HELLO.
  Host& coordinator() {
    return hub(1, [this](const Envelope& in, Outbox& out) {
      if (const auto* hello = std::get_if<Hello>(&in.message)) {
        Welcome welcome;
        welcome.peers = {{in.from, hello->endpoint, hello->incarnation}};
        welcome.partition_hosts = partition_hosts_;
        out.send(in.from, welcome);
      } else if (std::holds_alternative<Ready>(in.message)) {
        errand_(out);
      }
      return Status();
    });
  }
  // A coordinator that answers observers.
  Host& answering_coordinator() {
    return hub(1, [](const Envelope& in, Outbox& out) {
      if (std::holds_alternative<AskStatus>(in.message)) out.send(in.from, StatusReport{"{}"});
      return Status();
    });
  }
  // A worker that joins, with one node.
  Host& worker(Listener::Answer answer = nullptr, std::uint64_t incarnation = 2) {
    node_ = nullptr;
    Host& worker = host(kWorker, incarnation);
    worker.join(
        kCoordinator.name(), hello_of(kWorker, incarnation),
        [this, answer](const Welcome&, Host::Nodes) -> Result<Host::Nodes> {
          Host::Nodes nodes;
          nodes.push_back(std::make_unique<Listener>(kWorker, answer));
          node_ = static_cast<Listener*>(nodes.back().get());
          return nodes;
        },
        now_);
    return worker;
  }
  // One that has been welcomed.
  Host& member(Listener::Answer answer = nullptr) {
    coordinator();
    Host& member = worker(std::move(answer));
    talk();
    return member;
  }
  Outbox::World world() const { return {now_, 0, 0}; }

  // Carries frames until no host has any.
  void talk() {
    for (bool any = true; any;) {
      any = false;
      for (auto& [id, host] : hosts_)
        while (auto out = host->next(now_)) {
          any = true;
          ++carried_;
          // An endpoint is a name here.
          for (auto& [to, there] : hosts_)
            if (to.name() == out->endpoint) there->receive(out->frames, world());
        }
    }
  }
  void pass(Nanoseconds time) {
    for (const Nanoseconds until = now_ + time; now_ < until;) {
      now_ += kSecond / 2;
      for (auto& [id, host] : hosts_) host->tick(world());
      talk();
    }
  }

  static Frames frames_of(NodeId process, NodeId from, NodeId to, const Message& message, const Numbers& numbers) {
    Header header;
    header.kind = kind_of(message);
    header.job = numbers.job;
    header.process = process;
    header.incarnation = numbers.incarnation;
    header.peer_incarnation = numbers.peer_incarnation;
    header.sequence = numbers.sequence;
    header.from = from;
    header.to = to;
    return with_header(header, encode_message(message));
  }
  // From the worker to the coordinator.
  static Frames frames_of(const Message& message, const Numbers& numbers = {}) {
    return frames_of(kWorker, kWorker, kCoordinator, message, numbers);
  }
  // The answer of a start of the worker to a probe.
  static Frames sign_of_life(std::uint64_t start) {
    return frames_of(Ack{}, {.incarnation = start, .sequence = 0, .peer_incarnation = 1});
  }

  static void expect_ended(const Host& host, ExitCode code, const std::string& what) {
    ASSERT_TRUE(host.ended().has_value());
    EXPECT_EQ(host.ended()->code, code);
    EXPECT_EQ(host.ended()->what, what);
  }

  std::map<NodeId, std::unique_ptr<Host>> hosts_;
  Listener *hub_ = nullptr, *node_ = nullptr;  // the newest coordinator's and worker's
  std::vector<NodeId> partition_hosts_;
  std::function<void(Outbox&)> errand_;  // what the coordinator does when it receives READY
  Nanoseconds now_ = kSecond;
  int carried_ = 0;
};

}  // namespace rota::tests
