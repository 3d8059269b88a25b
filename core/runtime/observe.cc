#include "core/runtime/observe.h"

#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/start_number.h"
#include "core/runtime/host.h"
#include "core/wire/zmq_transport.h"

namespace rota {

namespace {

constexpr std::size_t kAnswerBytesMax = std::size_t{16} << 20;
constexpr int kTickMs = 50;

// Asks once, and ends with the answer.
class Observer final : public Node {
 public:
  explicit Observer(std::uint32_t index, std::string& answer) : index_(index), answer_(answer) {}

  NodeId id() const override { return {Role::observer, index_}; }
  Status step(const Envelope& in, Outbox& out) override {
    if (const auto* report = std::get_if<StatusReport>(&in.message)) {
      answer_ = report->json;
      out.end(ExitCode::ok, "answered");
    }
    return {};
  }

 private:
  std::uint32_t index_;
  std::string& answer_;
};

}  // namespace

Result<std::string> ask_status(const std::string& coordinator, int timeout_ms, const std::filesystem::path& keys,
                               bool assigns_worker) {
  const bool ipc = coordinator.starts_with(kIpcScheme);
  if (!ipc && !tcp_address(coordinator).ok())
    return Status(ExitCode::usage, "'" + coordinator + "' is neither ipc://PATH nor tcp://HOST:PORT");
  const auto index = static_cast<std::uint32_t>(getpid()) % kIndexLimit;
  const NodeId self{Role::observer, index};
  // It listens nowhere: the answer comes by the connection that asks, so no firewall between the two needs to admit it.
  std::shared_ptr<const Keys> own;
  if (!ipc && !keys.empty()) {
    ROTA_ASSIGN(own, read_keys(keys, Role::observer).in("--keys"));
  }
  ROTA_ASSIGN(const auto transport, ZmqTransport::open({}, kAnswerBytesMax, own));
  std::string answer;
  Host host({self, new_start_number(), 0, transport->endpoint(), timeout_ms * kMillisecond});
  host.add(std::make_unique<Observer>(index, answer));
  host.register_peer({kCoordinator, coordinator, 0});
  Outbox::World world;
  world.now = now_ns();
  const Nanoseconds until = world.now + timeout_ms * kMillisecond;
  host.ask(AskStatus{"", assigns_worker}, world.now);
  while (!host.ended() && world.now < until) {
    while (auto out = host.next(world.now))
      if (!transport->send(out->peer, out->endpoint, out->frames)) host.not_taken(out->peer);
    const auto events = transport->wait(kTickMs);
    world.now = now_ns();
    for (const NodeId peer : events.writable) host.writable(peer);
    for (const auto& [peer, why] : events.refused) host.keys_refused(peer, why, world.now);
    while (auto frames = transport->receive()) host.receive(*frames, world);
    host.tick(world);
  }
  while (auto out = host.next(world.now)) (void)transport->send(out->peer, out->endpoint, out->frames);
  if (host.ended() && host.ended()->code != ExitCode::ok) return Status(host.ended()->code, host.ended()->what);
  if (answer.empty()) return Status(ExitCode::temporary, "no answer from " + coordinator);
  return answer;
}

}  // namespace rota
