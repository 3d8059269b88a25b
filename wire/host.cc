#include "wire/host.h"

#include <algorithm>
#include <utility>

namespace rota {

namespace {

constexpr Nanoseconds kBeatEvery = kSecond;
// What a batch system or a launcher sends is often sent twice: to the whole group, and handed on.
constexpr Nanoseconds kSameSignal = kSecond;
// A process whose ticks are further apart than this was not running.
constexpr Nanoseconds kStillFor = 2 * kSecond;
// How long a process that is to end waits for its last messages to be acknowledged.
constexpr Nanoseconds kDrainMost = 2 * kSecond;
// How long a process that reported a fault waits for the coordinator's STOP.
constexpr Nanoseconds kStopMost = 10 * kSecond;

}  // namespace

void Host::add(std::unique_ptr<Node> node) {
  const NodeId id = node->id();
  nodes_[id] = std::move(node);
}

void Host::know(const Peer& peer) {
  if (peer.process == settings_.process) return;
  const auto found = peers_.find(peer.process);
  if (found != peers_.end() && (peer.incarnation == 0 || found->second.link.peer_incarnation() == peer.incarnation)) {
    found->second.endpoint = peer.endpoint;
    return;
  }
  const Link::Self self{settings_.process, settings_.incarnation, settings_.job};
  PeerState state{peer.endpoint, Link(self, peer.process, peer.incarnation), {}};
  if (found != peers_.end()) {
    state.replaced = std::move(found->second.replaced);
    if (const std::uint64_t before = found->second.link.peer_incarnation()) state.replaced.push_back(before);
    if (state.replaced.size() > kReplacedMost) state.replaced.pop_front();
  }
  peers_.insert_or_assign(peer.process, std::move(state));
}

void Host::join(const std::string& coordinator, const Hello& hello, Factory factory, Nanoseconds now) {
  factory_ = std::move(factory);
  joining_ = true;
  joined_at_ = now;
  know({kCoordinator, coordinator, 0});
  send({settings_.process, kCoordinator, hello}, now);
}

NodeId Host::process_of(NodeId node) const {
  const auto found = routes_.find(node);
  return found == routes_.end() ? node : found->second;
}

void Host::send(const Envelope& envelope, Nanoseconds now) {
  if (nodes_.contains(envelope.to)) {
    local_.push_back(envelope);
    return;
  }
  const auto peer = peers_.find(process_of(envelope.to));
  if (peer == peers_.end()) return refuse("no way to " + envelope.to.name());
  Link& link = peer->second.link;
  // A process that ends for it adds no more to the heap.
  if (ending_ && link.overfull()) return;
  link.submit(envelope.from, envelope.to, kind_of(envelope.message), encode_message(envelope.message));
  if (link.overfull())
    leave(ExitCode::temporary, link.peer().name() + " does not take what it is sent: " + link.queued() + " wait", now);
}

void Host::refuse(std::string why) {
  ++refused_;
  last_refusal_ = std::move(why);
}

// A process that nobody has heard of can only say HELLO, or ask; and only the coordinator listens to that.
bool Host::admits(const Header& header) {
  // Nobody else may speak as this process, or for a node of another process.
  if (header.process == settings_.process || process_of(header.from) != header.process) return false;
  const auto peer = peers_.find(header.process);
  const bool knocks = header.kind == Kind::hello || header.kind == Kind::ask_status;
  const bool may_knock = knocks && header.sequence == 1 && settings_.process == kCoordinator;
  if (peer == peers_.end()) {
    if (!may_knock) return false;
  } else {
    const std::uint64_t known = peer->second.link.peer_incarnation();
    const auto& replaced = peer->second.replaced;
    const bool before = std::find(replaced.begin(), replaced.end(), header.incarnation) != replaced.end();
    // Of another start: its link finds that it is stale, unless it begins with HELLO and was not replaced already.
    if (known == 0 || header.incarnation == known || before || !may_knock) return true;
  }
  know({header.process, "", header.incarnation});
  return true;
}

// The checksum of such a message is right, so the peer made it as it is: sent again it would be no better, and nothing
// behind it could ever be delivered.  From a peer of the job that is the end; anybody can knock with anything.
void Host::receive_unreadable(const Header& header, const std::string& why, Nanoseconds now) {
  refuse(why + " from " + header.process.name());
  const bool knocks = header.kind == Kind::hello || header.kind == Kind::ask_status;
  const std::uint64_t incarnation = peers_.find(header.process)->second.link.peer_incarnation();
  const bool is_peer = incarnation == 0 || incarnation == header.incarnation;
  if (!knocks && is_peer && header.process.role != Role::observer) leave(ExitCode::bug, last_refusal_, now);
}

void Host::receive(const Frames& frames, const Outbox::World& world) {
  auto header = decode_header(frames);
  if (!header.ok()) return refuse(header.status().what());
  // An observer belongs to no job.
  if (header->job != settings_.job && header->job != 0 && settings_.job != 0)
    return refuse("a message of another job from " + header->process.name());
  if (header->job == 0 && settings_.job != 0 && header->process.role != Role::observer)
    return refuse("a message without a job from " + header->process.name());
  if (!admits(*header)) return refuse("an unexpected message from " + header->process.name());
  const Frames body(frames.begin() + 1, frames.end());
  auto message = decode_message(header->kind, body);
  if (!message.ok()) return receive_unreadable(*header, message.status().what(), world.now);

  Link& link = peers_.find(header->process)->second.link;
  const bool own = header->kind == Kind::ack || header->kind == Kind::probe;
  const Link::Arrival arrival = link.receive(*header, own ? &*message : nullptr, world.now);
  if (arrival == Link::Arrival::stale) return;
  if (header->process == kCoordinator) coordinator_broken_ = false;
  settle(world.now);
  for (const auto& [id, node] : nodes_) node->peer_heard(header->process, world.now);
  if (arrival != Link::Arrival::deliver) return;
  if (const auto* hello = std::get_if<Hello>(&*message)) peers_.at(header->process).endpoint = hello->endpoint;
  if (const auto* ask = std::get_if<AskStatus>(&*message)) peers_.at(header->process).endpoint = ask->endpoint;
  deliver({header->from, header->to, *std::move(message)}, world);
  drain_local(world);
}

void Host::deliver(const Envelope& envelope, const Outbox::World& world) {
  if (membership(envelope, world)) return;
  const auto node = nodes_.find(envelope.to);
  if (node == nodes_.end()) return refuse("no " + envelope.to.name() + " here");
  run_node(
      *node->second, [&](Outbox& out) { return node->second->step(envelope, out); }, world);
}

void Host::run_node(Node& node, const std::function<Status(Outbox&)>& turn, const Outbox::World& world) {
  if (ending_) return;
  Outbox out(node.id(), world, this);
  const Status status = turn(out);
  collect(out, world);
  if (!status.ok()) fault(status, world.now);
}

void Host::collect(Outbox& out, const Outbox::World& world) {
  for (const Envelope& envelope : out.sent) {
    // The coordinator learns the peers itself, and tells everybody.
    if (const auto* welcome = std::get_if<Welcome>(&envelope.message)) {
      for (const Peer& peer : welcome->peers) know(peer);
      for (std::uint32_t p = 0; p < welcome->partition_hosts.size(); ++p)
        route({Role::partition, p}, welcome->partition_hosts[p]);
    }
    send(envelope, world.now);
  }
  for (auto& started : out.started) started_.push_back(std::move(started));
  if (out.ended) end(out.ending, world.now);
}

void Host::drain_local(const Outbox::World& world) {
  while (!local_.empty()) {
    const Envelope envelope = std::move(local_.front());
    local_.pop_front();
    deliver(envelope, world);
  }
}

void Host::finished(NodeId node, const Continuation& continuation, const Outbox::World& world) {
  ++progress_;
  const auto found = nodes_.find(node);
  if (found != nodes_.end()) run_node(*found->second, continuation, world);
  drain_local(world);
}

void Host::tell(NodeId to, Message message, const Outbox::World& world) {
  deliver({settings_.process, to, std::move(message)}, world);
  drain_local(world);
}

bool Host::membership(const Envelope& envelope, const Outbox::World& world) {
  if (settings_.process == kCoordinator || envelope.from != kCoordinator) return false;
  if (const auto* welcome = std::get_if<Welcome>(&envelope.message)) {
    if (joining_) welcomed(*welcome, world);
    return true;
  }
  if (const auto* refused = std::get_if<Refuse>(&envelope.message)) {
    dismissed_ = true;
    end({refused->code, refused->what}, world.now);
    return true;
  }
  if (const auto* stop = std::get_if<Stop>(&envelope.message)) {
    dismissed_ = true;
    end({stop->code, stop->what}, world.now);
    return true;
  }
  return false;
}

void Host::welcomed(const Welcome& welcome, const Outbox::World& world) {
  joining_ = false;
  member_ = true;
  for (const Peer& peer : welcome.peers) know(peer);
  for (std::uint32_t p = 0; p < welcome.partition_hosts.size(); ++p)
    route({Role::partition, p}, welcome.partition_hosts[p]);
  auto nodes = std::exchange(factory_, nullptr)(welcome);
  if (!nodes.ok()) return fault(nodes.status(), world.now);
  for (auto& node : *nodes) add(std::move(node));
  for (const auto& [id, node] : nodes_)
    run_node(
        *node,
        [&](Outbox& out) {
          return node->step({kCoordinator, id, welcome}, out);
        },
        world);
}

void Host::fault(const Status& status, Nanoseconds now) {
  if (faulted_ || ending_) return;
  faulted_ = true;
  faulted_at_ = now;
  fault_ = {status.code(), status.what()};
  if (settings_.process == kCoordinator) return end(fault_, now);
  send({settings_.process, kCoordinator, Fault{status.code(), status.what()}}, now);
}

void Host::end(Ending ending, Nanoseconds now) {
  if (ending_) return;
  ending_ = std::move(ending);
  ending_since_ = now;
  for (auto& [id, peer] : peers_) peer.link.close();
}

void Host::tick(const Outbox::World& world) {
  const Nanoseconds now = world.now;
  const Nanoseconds still = last_tick_ == 0 ? 0 : now - last_tick_;
  last_tick_ = now;
  if (still > kStillFor) {
    awake_since_ = now;
    if (joining_) joined_at_ += still;
    for (const auto& [id, node] : nodes_) node->stood_still(still, now);
  }
  const bool known = member_ || (joining_ && peers_.at(kCoordinator).link.heard_at() > 0);
  if (known && !ending_ && now - last_beat_ >= std::min(kBeatEvery, settings_.peer_timeout / 4)) {
    last_beat_ = now;
    send({settings_.process, kCoordinator, Beat{progress_, world.memory}}, now);
  }
  for (const auto& [id, node] : nodes_)
    run_node(
        *node, [&](Outbox& out) { return node->tick(out); }, world);
  drain_local(world);
  for (auto& [id, peer] : peers_) {
    peer.full = false;
    peer.link.tick(now);
  }
  if (faulted_ && now - faulted_at_ >= kStopMost) end(fault_, now);
  if (joining_ || member_) look_for_coordinator(now);
  settle(now);
}

// One that was heard takes its time until all have joined, but is not silent meanwhile.
void Host::look_for_coordinator(Nanoseconds now) {
  const Nanoseconds heard = peers_.at(kCoordinator).link.heard_at();
  if (heard == 0 && now - joined_at_ >= settings_.start_timeout)
    return end({ExitCode::temporary, "no answer from the coordinator"}, now);
  if (heard > 0 && now - std::max(heard, awake_since_) >= settings_.peer_timeout)
    end({ExitCode::temporary, "the coordinator was lost"}, now);
}

// Who was told to stop has nothing to say that anybody waits for; everybody else sees to it that all has arrived.
void Host::settle(Nanoseconds now) {
  if (!ending_ || ended_) return;
  const bool drained = std::all_of(peers_.begin(), peers_.end(), [](auto& peer) { return peer.second.link.drained(); });
  if (drained || dismissed_ || now - ending_since_ >= kDrainMost) ended_ = ending_;
}

void Host::leave(ExitCode code, const std::string& what, Nanoseconds now) {
  fault({code, what}, now);
  end({code, what}, now);
}

void Host::told_to_end(const std::string& what, Nanoseconds now) {
  const auto coordinator = peers_.find(kCoordinator);
  const bool heard = coordinator != peers_.end() && coordinator->second.link.heard_at() > 0 && !coordinator_broken_;
  if (told_to_end_at_ != 0 && now - told_to_end_at_ < kSameSignal) return;
  if (std::exchange(told_to_end_at_, now) != 0 || !heard) return leave(ExitCode::terminated, what, now);
  send({settings_.process, kCoordinator, Stop{ExitCode::terminated, what}}, now);
}

void Host::disconnected(NodeId peer, const Outbox::World& world) {
  if (peer == kCoordinator) coordinator_broken_ = true;
  for (const auto& [id, node] : nodes_)
    run_node(
        *node, [&](Outbox& out) { return node->peer_disconnected(peer, out); }, world);
}

std::optional<Host::Transmission> Host::next(Nanoseconds now) {
  // Round robin over the peers, so that a long queue for one does not delay the others.
  auto at = last_served_ ? peers_.upper_bound(*last_served_) : peers_.begin();
  for (std::size_t tried = 0; tried < peers_.size(); ++tried, ++at) {
    if (at == peers_.end()) at = peers_.begin();
    PeerState& peer = at->second;
    if (peer.full || peer.endpoint.empty()) continue;
    if (auto frames = peer.link.next(now)) {
      last_served_ = at->first;
      return Transmission{at->first, peer.endpoint, *std::move(frames)};
    }
  }
  return std::nullopt;
}

void Host::writable(NodeId peer) {
  const auto found = peers_.find(peer);
  if (found != peers_.end()) found->second.full = false;
}

void Host::not_taken(NodeId peer) {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return;
  found->second.full = true;
  found->second.link.not_taken();
}

bool Host::busy() const {
  return ending_.has_value() ||
         std::any_of(peers_.begin(), peers_.end(), [](const auto& peer) { return peer.second.link.busy(); });
}

std::uint64_t Host::queued_to(NodeId node) const {
  if (nodes_.contains(node)) return 0;
  const auto peer = peers_.find(process_of(node));
  return peer == peers_.end() ? 0 : peer->second.link.queued_bytes();
}

std::uint64_t Host::bytes_sent() const {
  std::uint64_t sum = 0;
  for (const auto& [id, peer] : peers_) sum += peer.link.counters().sent_bytes;
  return sum;
}

}  // namespace rota
