#include "core/runtime/host.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "core/wire/speakers.h"

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

// What says who is in the run belongs to none of its eras.
bool of_membership(Kind kind) {
  constexpr std::array kKinds = {Kind::hello, Kind::welcome, Kind::refuse,     Kind::beat,
                                 Kind::fault, Kind::stop,    Kind::ask_status, Kind::status};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

}  // namespace

void Host::add(std::unique_ptr<Node> node) {
  const NodeId id = node->id();
  nodes_[id] = std::move(node);
}

void Host::register_peer(const Peer& peer) {
  if (peer.process == settings_.process) return;
  const bool between_members = peer.process != kCoordinator && settings_.process != kCoordinator;
  const std::uint64_t self = between_members && number_ != 0 ? number_ : settings_.incarnation;
  const auto found = peers_.find(peer.process);
  const bool known =
      found != peers_.end() && found->second.self == self && found->second.link.peer_incarnation() == peer.incarnation;
  if (known || (found != peers_.end() && peer.incarnation == 0)) {
    found->second.endpoint = peer.endpoint;
    return;
  }
  const Link::Self of_this{settings_.process, self, settings_.job, settings_.piece_bytes};
  PeerState state{peer.endpoint, Link(of_this, peer.process, peer.incarnation), self, {}};
  if (found != peers_.end()) {
    if (between_members) state.link.greet();
    state.replaced = std::move(found->second.replaced);
    if (const std::uint64_t before = found->second.link.peer_incarnation()) state.replaced.push_back(before);
    if (state.replaced.size() > kReplacedMost) state.replaced.pop_front();
  }
  peers_.insert_or_assign(peer.process, std::move(state));
}

void Host::join(const std::string& coordinator, const Hello& hello, Factory factory, Nanoseconds now) {
  factory_ = std::move(factory);
  hello_ = hello;
  joining_ = true;
  joined_at_ = now;
  register_peer({kCoordinator, coordinator, 0});
  send({settings_.process, kCoordinator, hello}, now);
}

NodeId Host::process_of(NodeId node) const {
  const auto found = routes_.find(node);
  return found == routes_.end() ? node : found->second;
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
  const auto peer = peers_.find(process_of(to));
  if (peer == peers_.end()) return refuse("no way to " + to.name());
  spoken_ = true;
  Link& link = peer->second.link;
  // A guest gets one answer, however often it asks.
  if (peer->second.leaves_at != 0 && link.has_spoken()) return;
  // A process that ends for it adds no more to the heap.
  if (ending_ && link.overfull()) return;
  const Kind kind = kind_of(envelope.message);
  try {
    if (!encoded) encoded = encode_message(envelope.message);
    link.submit(envelope.from, to, kind, *encoded, of_membership(kind) ? 0 : era_);
  } catch (const std::bad_alloc&) {
    return leave(ExitCode::temporary, std::string("no memory to send a ") + kind_name(kind) + " to " + to.name(), now);
  }
  if (!may_be_cut(kind) && size_of(*encoded) > kFirstBytesMost) {
    return leave(ExitCode::usage,
                 std::string(kind_name(kind)) + " has " + std::to_string(size_of(*encoded)) + " bytes, and may have " +
                     std::to_string(kFirstBytesMost),
                 now);
  }
  if (link.overfull())
    leave(ExitCode::temporary, link.peer().name() + " does not take what it is sent: " + link.queued() + " wait", now);
}

void Host::refuse(std::string why) {
  ++refused_;
  last_refusal_ = std::move(why);
}

// A process that nobody has heard of can only say HELLO, or ask; and only the coordinator listens to that.
bool Host::admits(const Header& header, Nanoseconds now) {
  // Nobody else may speak as this process.
  if (header.process == settings_.process) return false;
  const auto peer = peers_.find(header.process);
  const bool opens_contact = header.kind == Kind::hello || header.kind == Kind::ask_status;
  if (opens_contact && header.from != header.process) return false;
  const bool may_be_unknown = opens_contact && header.sequence == 1 && settings_.process == kCoordinator;
  if (peer == peers_.end()) {
    if (!may_be_unknown) return false;
  } else {
    const std::uint64_t known = peer->second.link.peer_incarnation();
    const auto& replaced = peer->second.replaced;
    const bool before = std::find(replaced.begin(), replaced.end(), header.incarnation) != replaced.end();
    // Of another start: its link finds that it is stale, unless it begins with HELLO, was not replaced already, and has
    // heard of this coordinator.
    if (known == 0 || header.incarnation == known || before || !may_be_unknown) return true;
  }
  const bool guest = header.process.role == Role::observer;
  if (guest && peer == peers_.end() && guests() >= kGuestsMost) return false;
  take_place(header.process, header.incarnation, now);
  return true;
}

// The checksum of such a message is right, so the peer made it as it is: sent again it would be no better, and nothing
// behind it could ever be delivered.  From a peer of the job that is the end.
void Host::receive_unreadable(NodeId process, const Status& why, Nanoseconds now) {
  refuse(why.what() + " from " + process.name());
  if (process.role != Role::observer) leave(why.code(), last_refusal_, now);
}

// Whether a message is of this job and of a process that may send it.  Only the few bytes of a stranger's first message
// are decoded for that, and nothing is changed by those that cannot be: anybody can send anything.
bool Host::accepts(const Header& header, const Frames& body, const Origin& origin, Nanoseconds now) {
  const std::string from = " from " + header.process.name();
  if (origin.key && *origin.key != header.process.role)
    return refuse(std::string("a message with the key of a ") + role_name(*origin.key) + from), false;
  // An observer belongs to no job.
  if (header.job != settings_.job && header.job != 0 && settings_.job != 0)
    return receive_of_another_job(header, body, now), false;
  if (header.job == 0 && settings_.job != 0 && header.process.role != Role::observer)
    return refuse("a message without a job" + from), false;
  // Of members, whose links count messages, it is looked at behind the link.
  if (header.process.role == Role::observer && !may_say(header.kind, header.process.role, settings_.process.role))
    return refuse(std::string("a ") + kind_name(header.kind) + from), false;
  if (header.kind == Kind::hello || header.kind == Kind::ask_status) {
    if (size_of(body) > kFirstBytesMost)
      return refuse(kind_name(header.kind) + (" of " + std::to_string(size_of(body))) + " bytes" + from), false;
    const auto first = decode_message(header.kind, body);
    if (!first.ok()) return refuse(first.status().what() + from), false;
    const auto* hello = std::get_if<Hello>(&*first);
    if (hello != nullptr && hello->endpoint.starts_with(kReplyScheme))
      return refuse("a HELLO that names no address" + from), false;
    if (hello != nullptr && hello->joins == Joins::as_new && is_another(header, now)) {
      refuse_by_letter(header.process.name(), header.process.role, hello->endpoint, answer_to(header),
                       {ExitCode::temporary, "another " + header.process.name() + " is there already"}, now);
      return refuse("a HELLO of another" + from), false;
    }
    if (hello != nullptr && was_replaced(header))
      return dismiss(header.process, header.incarnation, hello->endpoint, now), false;
    if (hello != nullptr && wants_place(header)) return ask_for_life(header, body, hello->endpoint, now), false;
  }
  if (!admits(header, now)) return refuse("an unexpected message" + from), false;
  return true;
}

void Host::receive(const Frames& frames, const Outbox::World& world, const Origin& origin) {
  auto header = decode_header(frames);
  if (header.status().code() == ExitCode::wrong_version)
    return receive_foreign(frames, header.status().what(), origin, world.now);
  if (!header.ok()) return refuse(header.status().what());
  const Frames body(frames.begin() + 1, frames.end());
  if (!accepts(*header, body, origin, world.now)) return;
  if (answers_call(*header)) greet_anew(header->incarnation);
  if (const auto hello = proves_life(*header)) {
    take_place(header->process, header->incarnation, world.now);
    receive(*hello, world, origin);
  }
  PeerState& peer = peers_.find(header->process)->second;
  // A guest is answered where it asks from, wherever it says that it listens.
  if (header->process.role == Role::observer && !origin.reply.empty()) peer.endpoint = origin.reply;
  Link::Arrived arrived = peer.link.receive(*header, body, world.now);
  if (arrived.arrival != Link::Arrival::deliver && is_dismissal(*header))
    return receive_dismissal(*header, body, world);
  if (arrived.arrival == Link::Arrival::stale) return;
  if (header->process == kCoordinator) heard_coordinator(world.now);
  settle(world.now);
  for (const auto& [id, node] : nodes_) node->peer_heard(header->process, world.now);
  if (arrived.arrival == Link::Arrival::wrong) receive_unreadable(header->process, arrived.status, world.now);
  if (arrived.arrival == Link::Arrival::deliver) receive_whole(header->process, std::move(arrived.message), world);
}

void Host::receive_whole(NodeId process, Delivery delivery, const Outbox::World& world) {
  if (delivery.era != 0 && (delivery.era != era_ || goes_to_)) {
    if (delivery.era > era_ && settings_.process != kCoordinator) held_.push_back({process, std::move(delivery)});
    return;  // or the run went back to before it was said
  }
  // Nobody may speak for a node of another process.  The link has taken it all the same, or nothing behind it could
  // come: the node may have been there when it was said.
  if (process_of(delivery.from) != process)
    return refuse("a message of " + delivery.from.name() + " from " + process.name());
  if (!may_say(delivery.kind, delivery.from.role, delivery.to.role))
    return refuse(std::string("a ") + kind_name(delivery.kind) + " from " + delivery.from.name() + " to " +
                  delivery.to.name());
  auto message = decode_message(delivery.kind, delivery.frames);
  delivery.frames.clear();  // a body may be large, and is not needed any more
  if (!message.ok()) return receive_unreadable(process, message.status(), world.now);
  if (const auto* hello = std::get_if<Hello>(&*message)) peers_.at(process).endpoint = hello->endpoint;
  if (const auto* ask = std::get_if<AskStatus>(&*message))
    if (auto& endpoint = peers_.at(process).endpoint; endpoint.empty() && !ask->endpoint.starts_with(kReplyScheme))
      endpoint = ask->endpoint;
  deliver({delivery.from, delivery.to, *std::move(message)}, world);
  deliver_local(world);
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
    if (const auto* welcome = std::get_if<Welcome>(&envelope.message)) know(*welcome);
    send(envelope, world.now);
  }
  works_ += out.started.size();
  for (auto& started : out.started) started_.push_back(std::move(started));
  if (out.ended) end(out.ending, world.now);
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
  if (works_ > 0) --works_;
  if (goes_to_) return;  // nobody wants it any more
  const auto found = nodes_.find(node);
  if (found != nodes_.end()) run_node(*found->second, continuation, world);
}

void Host::finished(NodeId node, const Continuation& continuation, const Outbox::World& world) {
  finish(node, continuation, world);
  deliver_local(world);
}

void Host::tell(NodeId to, Message message, const Outbox::World& world) {
  deliver({settings_.process, to, std::move(message)}, world);
  deliver_local(world);
}

bool Host::membership(const Envelope& envelope, const Outbox::World& world) {
  if (settings_.process == kCoordinator || envelope.from != kCoordinator) return false;
  if (const auto* welcome = std::get_if<Welcome>(&envelope.message)) {
    if (joining_ || (member_ && welcome->era > era_)) begin_era(*welcome, world);
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

// The coordinator has met them all when they said HELLO, and tells the others as whom they speak to each other.
void Host::meet(const Welcome& welcome) {
  if (settings_.process == kCoordinator) return;
  for (const Peer& peer : welcome.peers)
    if (peer.process == settings_.process) number_ = peer.incarnation;
  for (const Peer& peer : welcome.peers) register_peer(peer);
}

// Peers, and where the partitions are.
void Host::know(const Welcome& welcome) {
  meet(welcome);
  for (std::uint32_t p = 0; p < welcome.partition_hosts.size(); ++p)
    route({Role::partition, p}, welcome.partition_hosts[p]);
  era_ = welcome.era;
  for (auto& [id, peer] : peers_) peer.link.forget_before(era_);
  if (settings_.process == kCoordinator) return;  // which tells those who are not to take part
  for (auto& [id, peer] : peers_) peer.gone = id != kCoordinator;
  for (const Peer& peer : welcome.peers)
    if (const auto found = peers_.find(peer.process); found != peers_.end()) found->second.gone = false;
}

// The nodes of the era before hear nothing any more, but their work, which may be long, refers to them.
void Host::begin_era(const Welcome& welcome, const Outbox::World& world) {
  joining_ = false;
  member_ = true;
  goes_to_ = welcome;
  meet(welcome);  // who was replaced hears nothing any more
  local_.clear();
  for (auto& [id, node] : std::exchange(nodes_, {})) retired_.push_back(std::move(node));
  begin_era_if_idle(world);
}

void Host::begin_era_if_idle(const Outbox::World& world) {
  if (works_ > 0 || ending_) return;
  const Welcome welcome = *std::exchange(goes_to_, std::nullopt);
  know(welcome);
  auto nodes = factory_(welcome, std::exchange(retired_, {}));
  if (!nodes.ok()) return fault(nodes.status(), world.now);
  for (auto& node : *nodes) add(std::move(node));
  for (const auto& [id, node] : nodes_)
    run_node(
        *node,
        [&](Outbox& out) {
          return node->step({kCoordinator, id, welcome}, out);
        },
        world);
  deliver_held(world);
}

// What came from those who were faster.
void Host::deliver_held(const Outbox::World& world) {
  for (Held& held : std::exchange(held_, {})) receive_whole(held.process, std::move(held.delivery), world);
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
  const auto taken_in = [](const Link& link) { return link.heard_at() > 0 && link.was_answered(); };
  const bool known = member_ || (joining_ && taken_in(peers_.at(kCoordinator).link));
  if (known && !ending_ && now - last_beat_ >= std::min(kBeatEvery, settings_.peer_timeout / 4)) {
    last_beat_ = now;
    send({settings_.process, kCoordinator, beat(world)}, now);
  }
  for (const auto& [id, node] : nodes_)
    run_node(
        *node, [&](Outbox& out) { return node->tick(out); }, world);
  deliver_local(world);
  for (auto& [id, peer] : peers_) {
    peer.full = false;
    peer.link.tick(now);
  }
  dismiss_guests(now);
  if (faulted_ && now - faulted_at_ >= kStopMost) end(fault_, now);
  if (joining_ || member_) look_for_coordinator(now);
  settle(now);
}

Beat Host::beat(const Outbox::World& world) const {
  Beat beat{progress_, world.memory, works_, era_, {}, 0};
  for (const auto& [id, peer] : peers_) {
    if (id == kCoordinator || peer.gone) continue;
    // What this process itself was not awake for says nothing of others.
    const Nanoseconds deaf = std::min(peer.link.deaf_for(world.now), world.now - awake_since_);
    if (deaf <= static_cast<Nanoseconds>(beat.deaf_ns)) continue;
    beat.deaf = id;
    beat.deaf_ns = static_cast<std::uint64_t>(deaf);
  }
  return beat;
}

// Who was told to stop has nothing to say that anybody waits for; everybody else sees to it that all has arrived.
void Host::settle(Nanoseconds now) {
  if (!ending_ || ended_) return;
  const bool drained = std::all_of(peers_.begin(), peers_.end(),
                                   [](auto& peer) { return peer.second.gone || peer.second.link.drained(); });
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

void Host::keys_refused(NodeId peer, const std::string& why, Nanoseconds now) {
  const bool waits = joining_ || settings_.process.role == Role::observer;
  if (peer != kCoordinator || !waits) return;
  dismissed_ = true;
  end({ExitCode::not_authorised, "the coordinator does not let " + settings_.process.name() + " in: " + why}, now);
}

void Host::disconnected(NodeId peer, const Outbox::World& world) {
  if (peer == kCoordinator) coordinator_broken_ = true;
  if (const auto found = peers_.find(peer); found != peers_.end()) found->second.link.broken();
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
    if (peer.full || peer.gone || peer.endpoint.empty()) continue;
    if (auto frames = peer.link.next(now)) {
      last_served_ = at->first;
      gave_call_ = false;
      return Transmission{at->first, peer.endpoint, *std::move(frames)};
    }
  }
  if (call_) {
    Frames call = *std::exchange(call_, std::nullopt);
    gave_call_ = true;
    return Transmission{kCoordinator, peers_.at(kCoordinator).endpoint, std::move(call)};
  }
  for (Letter& letter : letters_) {
    if (letter.sent || letter.full) continue;
    letter.sent = true;
    return Transmission{letter.address, letter.endpoint, letter.frames};
  }
  spoken_ = false;
  return std::nullopt;
}

void Host::writable(NodeId peer) {
  const auto found = peers_.find(peer);
  if (found != peers_.end()) found->second.full = false;
  for (Letter& letter : letters_)
    if (letter.address == peer) letter.full = false;
}

void Host::not_taken(NodeId peer) {
  for (Letter& letter : letters_)
    if (letter.address == peer) letter.full = true, letter.sent = false;
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return;
  found->second.full = true;
  if (peer == kCoordinator && std::exchange(gave_call_, false)) return;  // the link knows nothing of it
  found->second.link.not_taken();
}

bool Host::busy() const {
  return ending_.has_value() || std::any_of(peers_.begin(), peers_.end(), [](const auto& peer) {
           return !peer.second.gone && peer.second.link.busy();
         });
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
