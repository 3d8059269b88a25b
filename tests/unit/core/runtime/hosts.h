// tests/unit/core/runtime/hosts.h -- any number of hosts, joined by a network that loses nothing.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/runtime/host.h"

namespace rota::tests {

inline constexpr NodeId kWorker{Role::worker, 0};
inline constexpr std::uint64_t kJob = 77;

// Writes down what it hears, and answers as it is told.
class Listener final : public Node {
 public:
  using Answer = std::function<Status(const Envelope&, Outbox&)>;
  explicit Listener(NodeId id, Answer answer = nullptr) : id_(id), answer_(std::move(answer)) {}

  NodeId id() const override { return id_; }
  Status step(const Envelope& in, Outbox& out) override {
    heard.push_back(in);
    return answer_ ? answer_(in, out) : Status();
  }
  Status peer_disconnected(NodeId process, Outbox&) override {
    disconnected.push_back(process);
    return {};
  }
  void peer_heard(NodeId, Nanoseconds) override { ++signs_of_life; }
  void peer_refused(const std::string& who, const std::string& why) override { refusals.push_back(who + ": " + why); }
  void stood_still(Nanoseconds span, Nanoseconds) override { still += span; }

  template <typename M>
  std::size_t count() const {
    std::size_t all = 0;
    for (const Envelope& in : heard) all += std::holds_alternative<M>(in.message) ? 1 : 0;
    return all;
  }
  std::vector<Envelope> heard;
  std::vector<NodeId> disconnected;
  std::vector<std::string> refusals;
  int signs_of_life = 0;
  Nanoseconds still = 0;

 private:
  NodeId id_;
  Answer answer_;
};

inline Hello hello_of(NodeId process, std::uint64_t incarnation) {
  return {process.name(), "1", {kJob, 0}, incarnation, 1, "here"};
}

class Hosts : public ::testing::Test {
 protected:
  Host& host(NodeId id, std::uint64_t incarnation, std::uint64_t job = kJob) {
    hosts_[id] = std::make_unique<Host>(Host::Settings{id, incarnation, job, id.name(), 30 * kSecond});
    return *hosts_[id];
  }
  // A coordinator that welcomes whoever says HELLO.
  Listener& coordinator() {
    auto node = std::make_unique<Listener>(kCoordinator, [this](const Envelope& in, Outbox& out) {
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
    Listener& listener = *node;
    host(kCoordinator, 1).add(std::move(node));
    return listener;
  }
  // A worker that joins, with one node.
  Host& worker(Listener*& node, Listener::Answer answer = nullptr) {
    Host& worker = host(kWorker, 2);
    worker.join(
        kCoordinator.name(), hello_of(kWorker, 2),
        [&node, answer](const Welcome&, Host::Nodes) -> Result<Host::Nodes> {
          std::vector<std::unique_ptr<Node>> nodes;
          nodes.push_back(std::make_unique<Listener>(kWorker, answer));
          node = static_cast<Listener*>(nodes.back().get());
          return nodes;
        },
        now_);
    return worker;
  }
  Outbox::World world() const { return {now_, 0, 0}; }

  // Carries frames until nobody has any.
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

  Frames frames_of(NodeId process, NodeId from, NodeId to, const Message& message, std::uint64_t incarnation = 2,
                   std::uint64_t job = kJob) {
    Header header;
    header.kind = kind_of(message);
    header.job = job;
    header.process = process;
    header.incarnation = incarnation;
    header.sequence = 1;
    header.from = from;
    header.to = to;
    return with_header(header, encode_message(message));
  }

  std::map<NodeId, std::unique_ptr<Host>> hosts_;
  std::vector<NodeId> partition_hosts_;
  std::function<void(Outbox&)> errand_;  // what the coordinator does when it is told READY
  Nanoseconds now_ = kSecond;
  int carried_ = 0;
};

}  // namespace rota::tests
