#include "core/runtime/credit.h"

#include "core/runtime/host.h"

namespace rota::credit {
namespace {

constexpr NodeId kWorker{Role::worker, 0}, kHere{Role::partition, 0}, kThere{Role::partition, 1};
constexpr NodeId kOther{Role::kvstore, 0};

// Puts an object of 1,000 bytes to each of two partitions, and records the sizes of their queues.
class Putter final : public Node {
 public:
  NodeId id() const override { return kWorker; }
  Status step(const Envelope&, Outbox&) override { return {}; }
  Status tick(Outbox& out) override {
    here = out.waiting(kHere);
    there = out.waiting(kThere);
    if (std::exchange(put_, true)) return {};
    for (const NodeId to : {kHere, kThere})
      out.send(to, Put{1, Object::slice, 0, {}, Bytes::from(std::vector<std::byte>(1000))});
    return {};
  }
  std::uint64_t here = 0, there = 0;

 private:
  bool put_ = false;
};

class Taker final : public Node {
 public:
  NodeId id() const override { return kHere; }
  Status step(const Envelope&, Outbox&) override { return {}; }
};

TEST(Credit, NodesSeeTheQueuedBytesOfAProcess) {
  Host host({kWorker, 1, 7, "here", 30 * kSecond});
  auto node = std::make_unique<Putter>();
  const Putter& putter = *node;
  host.add(std::move(node));
  host.add(std::make_unique<Taker>());
  host.register_peer({kOther, "there", 5});
  host.route(kThere, kOther);
  Outbox::World world;
  world.now = kSecond;
  host.tick(world);
  EXPECT_EQ(putter.there, 0U);
  host.tick(world);
  EXPECT_GT(putter.there, 1000U);
  EXPECT_EQ(putter.here, 0U) << "nothing waits within a process";
  // It is acknowledged.
  Header header;
  header.job = 7;
  header.process = header.from = kOther;
  header.to = kWorker;
  header.incarnation = 5;
  header.peer_incarnation = 1;
  header.acknowledged = 1;
  while (host.next(world.now)) {
  }
  host.receive(with_header(header, encode_message(Ack{})), world);
  host.tick(world);
  EXPECT_EQ(putter.there, 0U);
}

}  // namespace
}  // namespace rota::credit
