#include "core/runtime/host.h"

#include <algorithm>
#include <iterator>

namespace rota {

// A process whose ticks are further apart than this was not running.
constexpr Nanoseconds kStillFor = 2 * kSecond;

Host::Host(Settings settings)
    : settings_(std::move(settings)),
      admission_(settings_, router_, [this](const std::string& who, const std::string& why) {
        for (const auto& [id, node] : nodes_) node->peer_refused(who, why);
      }) {}

void Host::join(const std::string& coordinator, const Hello& hello, Factory factory, Nanoseconds now) {
  factory_ = std::move(factory);
  watch_.join(hello, now);
  register_peer({kCoordinator, coordinator, 0});
  send({settings_.process, kCoordinator, hello}, now);
}

void Host::send(const Envelope& envelope, Nanoseconds now) {
  std::optional<Frames> encoded;  // once, for all that it goes to
  submit(envelope, envelope.to, encoded, now);
  for (const NodeId to : envelope.more) submit(envelope, to, encoded, now);
}

void Host::submit(const Envelope& envelope, NodeId to, std::optional<Frames>& encoded, Nanoseconds now) {
  if (nodes_.contains(to)) {
    local_.push_back({envelope.from, to, envelope.message});
    return;
  }
  if (router_.find(router_.process_of(to)) == nullptr) return admission_.refuse("no way to " + to.name());
  const Status sent = router_.submit(envelope, to, encoded, end_.begun());
  if (!sent.ok()) leave(sent.code(), sent.what(), now);
}

// The checksum of such a message is right, so the peer made it as it is: a retransmission would be the same, and
// nothing after it could ever be delivered.  From a peer of the job that is fatal.
void Host::receive_unreadable(NodeId process, const Status& why, Nanoseconds now) {
  admission_.refuse(why.what() + " from " + process.name());
  if (process.role != Role::observer) leave(why.code(), last_refusal(), now);
}

void Host::receive(const Frames& frames, const Outbox::World& world, const Origin& origin) {
  auto header = decode_header(frames, covered_at(settings_.endpoint));
  if (header.status().code() == ExitCode::wrong_version)
    return receive_foreign(frames, header.status().what(), origin, world.now);
  if (!header.ok()) return admission_.refuse(header.status().what());
  const Frames body(frames.begin() + 1, frames.end());
  if (!admission_.accepts(*header, body, origin, world.now)) return;
  if (watch_.answers_call(*header)) {
    watch_.reconnect(header->incarnation, last_tick_);
    send({settings_.process, kCoordinator, watch_.hello()}, last_tick_);
  }
  if (const auto hello = admission_.confirm_alive(*header, world.now)) receive(*hello, world, origin);
  Router::PeerState& peer = *router_.find(header->process);
  // A guest is answered on the connection that it asks on, whatever address its message names.
  if (header->process.role == Role::observer && !origin.reply.empty()) peer.endpoint = origin.reply;
  Link::Arrived arrived = peer.link.receive(*header, body, world.now);
  if (arrived.arrival != Link::Arrival::deliver && watch_.is_dismissal(*header))
    return receive_dismissal(*header, body, world);
  if (arrived.arrival == Link::Arrival::stale) return;
  if (header->process == kCoordinator) watch_.received(world.now);
  end_.settle(world.now);
  for (const auto& [id, node] : nodes_) node->peer_is_alive(header->process, world.now);
  if (arrived.arrival == Link::Arrival::wrong) receive_unreadable(header->process, arrived.status, world.now);
  if (arrived.arrival == Link::Arrival::deliver) receive_whole(header->process, std::move(arrived.message), world);
}

// A refusal in another protocol version says with its header all that a process that waits for an answer needs.
void Host::receive_foreign(const Frames& frames, const std::string& what, const Origin& origin, Nanoseconds now) {
  admission_.refuse(what);
  const auto foreign = decode_foreign(frames);
  if (!foreign) return;
  if (!watch_.waits() || foreign->kind != Kind::refuse)
    return admission_.receive_foreign(*foreign, frames, origin, now);
  end_.dismiss(
      {ExitCode::wrong_version, "the coordinator has protocol version " + std::to_string(foreign->version) + ", " +
                                    settings_.process.name() + " has " + std::to_string(kProtocolVersion)},
      now);
}

void Host::receive_dismissal(const Header& header, const Frames& body, const Outbox::World& world) {
  auto message = decode_message(header.kind, body);
  if (!message.ok()) return admission_.refuse(message.status().what() + " from " + header.process.name());
  membership({header.process, settings_.process, *std::move(message)}, world);
}

void Host::receive_whole(NodeId process, Delivery delivery, const Outbox::World& world) {
  if (delivery.era != 0 && (delivery.era != router_.era() || goes_to_)) {
    if (delivery.era > router_.era() && settings_.process != kCoordinator)
      held_.emplace_back(process, std::move(delivery));
    return;  // or the run went back to before it was sent
  }
  auto message = admission_.open(process, delivery);
  if (!message.ok()) return receive_unreadable(process, message.status(), world.now);
  if (!*message) return;
  deliver({delivery.from, delivery.to, **std::move(message)}, world);
  deliver_local(world);
}

void Host::deliver(const Envelope& envelope, const Outbox::World& world) {
  if (membership(envelope, world)) return;
  const auto found = nodes_.find(envelope.to);
  if (found == nodes_.end()) return admission_.refuse("no " + envelope.to.name() + " here");
  run_node(
      *found->second, [&envelope](Node& node, Outbox& out) { return node.step(envelope, out); }, world);
}

void Host::run_node(Node& node, const Step& step, const Outbox::World& world) {
  if (end_.begun()) return;
  Outbox out(node.id(), world, [this](NodeId to) { return queued_to(to); });
  const Status status = step(node, out);
  collect(out, world);
  if (!status.ok()) fault(status, world.now);
}

void Host::collect(Outbox& out, const Outbox::World& world) {
  for (const Envelope& envelope : out.sent) {
    // The coordinator learns the peers itself, and reports them to all.
    if (const auto* welcome = std::get_if<Welcome>(&envelope.message)) router_.begin_era(*welcome);
    send(envelope, world.now);
  }
  work_in_flight_ += out.started.size();
  for (auto& started : out.started) started_.push_back(std::move(started));
  std::ranges::move(out.after, std::back_inserter(after_sending_));
  if (out.ended) end_.begin(out.ending, world.now);
}

void Host::deliver_local(const Outbox::World& world) {
  if (goes_to_) begin_era_if_idle(world);
  while (!local_.empty()) {
    const Envelope envelope = std::move(local_.front());
    local_.pop_front();
    deliver(envelope, world);
  }
}

void Host::finish(NodeId node, const Continuation& continuation, const Outbox::World& world) {
  ++progress_;
  if (work_in_flight_ > 0) --work_in_flight_;
  if (goes_to_) return;  // no longer needed
  const auto found = nodes_.find(node);
  if (found != nodes_.end())
    run_node(
        *found->second, [&](Node&, Outbox& out) { return continuation(out); }, world);
}

bool Host::membership(const Envelope& envelope, const Outbox::World& world) {
  if (settings_.process == kCoordinator || envelope.from != kCoordinator) return false;
  if (const auto* welcome = std::get_if<Welcome>(&envelope.message)) {
    if (watch_.accepts(*welcome)) begin_era(*welcome, world);
  } else if (const auto* refused = std::get_if<Refuse>(&envelope.message)) {
    end_.dismiss({refused->code, refused->what}, world.now);
  } else if (const auto* stop = std::get_if<Stop>(&envelope.message)) {
    end_.dismiss({stop->code, stop->what}, world.now);
  } else {
    return false;
  }
  return true;
}

// The nodes of the era before receive nothing any more, but their work, which may be long, refers to them.
void Host::begin_era(const Welcome& welcome, const Outbox::World& world) {
  goes_to_ = welcome;
  router_.meet(welcome);  // a replaced process receives nothing any more
  local_.clear();
  for (auto& [id, node] : std::exchange(nodes_, {})) retired_.push_back(std::move(node));
  begin_era_if_idle(world);
}

void Host::begin_era_if_idle(const Outbox::World& world) {
  if (work_in_flight_ > 0 || end_.begun()) return;
  const Welcome welcome = *std::exchange(goes_to_, std::nullopt);
  router_.begin_era(welcome);
  auto nodes = factory_(welcome, std::exchange(retired_, {}));
  if (!nodes.ok()) return fault(nodes.status(), world.now);
  for (auto& node : *nodes) add(std::move(node));
  run_all([&](Node& node, Outbox& out) { return node.step({kCoordinator, node.id(), welcome}, out); }, world);
  // Messages of processes that were faster.
  for (auto& [process, delivery] : std::exchange(held_, {})) receive_whole(process, std::move(delivery), world);
}

void Host::fault(const Status& status, Nanoseconds now) {
  const Ending fault = {status.code(), status.what()};
  if (!end_.fail(fault, now)) return;
  if (settings_.process == kCoordinator) return end_.begin(fault, now);
  send({settings_.process, kCoordinator, Fault{fault.code, fault.what}}, now);
}

void Host::tick(const Outbox::World& world) {
  const Nanoseconds now = world.now;
  const Nanoseconds still = last_tick_ == 0 ? 0 : now - last_tick_;
  last_tick_ = now;
  if (still > kStillFor) {
    watch_.was_suspended(still, now);
    for (const auto& [id, node] : nodes_) node->was_suspended(still, now);
  }
  if (auto beat = end_.begun() ? std::nullopt : watch_.next_beat(now)) {
    beat->progress = progress_;
    beat->memory = world.memory;
    beat->work_in_flight = work_in_flight_;
    send({settings_.process, kCoordinator, *beat}, now);
  }
  run_all([](Node& node, Outbox& out) { return node.tick(out); }, world);
  deliver_local(world);
  router_.tick(now);
  admission_.tick(now);
  end_.tick(now);
  if (auto lost = watch_.check(end_.begun(), now)) end_.begin(*std::move(lost), now);
  end_.settle(now);
}

void Host::end_requested(const std::string& what, Nanoseconds now) {
  const auto signal = end_.signal(now);
  if (signal == ProcessEnd::Signal::same) return;
  if (signal == ProcessEnd::Signal::again || !watch_.reachable()) return leave(ExitCode::terminated, what, now);
  send({settings_.process, kCoordinator, Stop{ExitCode::terminated, what}}, now);
}

void Host::keys_refused(NodeId peer, const std::string& why, Nanoseconds now) {
  if (peer != kCoordinator || !watch_.waits()) return;
  end_.dismiss({ExitCode::not_authorised, "the coordinator does not let " + settings_.process.name() + " in: " + why},
               now);
}

void Host::disconnected(NodeId peer, const Outbox::World& world) {
  if (peer == kCoordinator) watch_.disconnected();
  if (auto* const found = router_.find(peer)) found->link.broken();
  run_all([peer](Node& node, Outbox& out) { return node.peer_disconnected(peer, out); }, world);
}

std::optional<Transmission> Host::next(Nanoseconds now) {
  gave_call_ = false;
  if (auto out = router_.next(now)) return out;
  if (auto out = watch_.next_call()) {
    gave_call_ = true;
    return out;
  }
  return admission_.next();
}

void Host::not_taken(NodeId peer) {
  admission_.set_full(peer, true);
  router_.set_full(peer, true);
  if (peer == kCoordinator && std::exchange(gave_call_, false)) return;  // it is none of the link's messages
  if (auto* const found = router_.find(peer)) found->link.not_taken();
}

}  // namespace rota
