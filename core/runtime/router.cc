#include "core/runtime/router.h"

#include <array>
#include <new>

namespace rota {

namespace {

// Messages about membership belong to no era.
bool of_membership(Kind kind) {
  constexpr std::array kKinds = {Kind::hello, Kind::welcome, Kind::refuse,     Kind::beat,
                                 Kind::fault, Kind::stop,    Kind::ask_status, Kind::status};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

}  // namespace

void Router::register_peer(const Peer& peer) {
  if (peer.process == settings_.process) return;
  const bool between_members = peer.process != kCoordinator && settings_.process != kCoordinator;
  const std::uint64_t self = between_members && number_ != 0 ? number_ : settings_.incarnation;
  PeerState* const before = find(peer.process);
  const bool known = before != nullptr && before->self == self && before->link.peer_incarnation() == peer.incarnation;
  if (known || (before != nullptr && peer.incarnation == 0)) {
    before->endpoint = peer.endpoint;
    return;
  }
  const Link::Self of_this{settings_.process, self, settings_.job, settings_.piece_bytes};
  PeerState state{peer.endpoint, Link(of_this, peer.process, peer.incarnation), self, {}};
  if (before != nullptr) {
    if (between_members) state.link.greet();
    state.replaced = std::move(before->replaced);
    if (const std::uint64_t start = before->link.peer_incarnation()) state.replaced.push_back(start);
    if (state.replaced.size() > kReplacedMost) state.replaced.pop_front();
  }
  touch(peer.process, peers_.insert_or_assign(peer.process, std::move(state)).first->second);
}

Router::PeerState* Router::find(NodeId process) {
  const auto found = peers_.find(process);
  if (found == peers_.end()) return nullptr;
  touch(process, found->second);
  return &found->second;
}

void Router::meet(const Welcome& welcome) {
  if (settings_.process == kCoordinator) return;
  for (const Peer& peer : welcome.peers)
    if (peer.process == settings_.process) number_ = peer.incarnation;
  for (const Peer& peer : welcome.peers) register_peer(peer);
}

void Router::begin_era(const Welcome& welcome) {
  meet(welcome);
  for (std::uint32_t p = 0; p < welcome.partition_hosts.size(); ++p)
    route({Role::partition, p}, welcome.partition_hosts[p]);
  era_ = welcome.era;
  for (auto& [id, peer] : peers_) peer.link.forget_before(era_);
  touch_all();
  if (settings_.process == kCoordinator) return;  // which still informs processes that take no part
  for (auto& [id, peer] : peers_) peer.gone = id != kCoordinator;
  for (const Peer& peer : welcome.peers)
    if (PeerState* const found = find(peer.process)) found->gone = false;
  // Connections that every job needs are made while data load, not in the first round.
  const auto greet = [&](NodeId process) {
    if (PeerState* const found = find(process)) found->link.greet();
  };
  std::ranges::for_each(welcome.partition_hosts, greet);
  for (const Peer& peer : welcome.peers)
    if (peer.process.role == Role::scheduler) greet(peer.process);
}

Status Router::submit(const Envelope& envelope, NodeId to, std::optional<Frames>& encoded, bool ending) {
  PeerState& peer = *find(process_of(to));
  spoken_ = true;
  Link& link = peer.link;
  // A guest gets one answer, however often it asks.
  if (peer.leaves_at != 0 && link.has_spoken()) return {};
  // A process that ends for it adds no more to the heap.
  if (ending && link.overfull()) return {};
  const Kind kind = kind_of(envelope.message);
  try {
    if (!encoded) encoded = encode_message(envelope.message);
    link.submit(envelope.from, to, kind, *encoded, of_membership(kind) ? 0 : era_);
  } catch (const std::bad_alloc&) {
    return {ExitCode::temporary, std::string("no memory to send a ") + kind_name(kind) + " to " + to.name()};
  }
  if (!may_be_cut(kind) && size_of(*encoded) > kFirstBytesMost)
    return {ExitCode::usage, std::string(kind_name(kind)) + " has " + std::to_string(size_of(*encoded)) +
                                 " bytes, and may have " + std::to_string(kFirstBytesMost)};
  if (link.overfull())
    return {ExitCode::temporary, link.peer().name() + " does not take what it is sent: " + link.queued() + " wait"};
  return {};
}

std::optional<Transmission> Router::next(Nanoseconds now) {
  while (!touched_.empty()) {
    const auto at = peers_.find(touched_.front());
    touched_.pop_front();
    if (at == peers_.end()) continue;
    PeerState& peer = at->second;
    peer.listed = false;
    if (peer.full || peer.gone || peer.endpoint.empty()) continue;
    const std::uint64_t before = peer.link.counters().sent_bytes;
    if (auto frames = peer.link.next(now, covered_at(peer.endpoint))) {
      bytes_sent_ += peer.link.counters().sent_bytes - before;
      touch(at->first, peer);
      return Transmission{at->first, peer.endpoint, *std::move(frames)};
    }
  }
  spoken_ = false;
  return std::nullopt;
}

void Router::tick(Nanoseconds now) {
  for (auto& [id, peer] : peers_) {
    peer.full = false;
    peer.link.tick(now);
  }
  touch_all();
}

void Router::dismiss_guests(Nanoseconds now) {
  std::erase_if(peers_, [&](const auto& entry) {
    const PeerState& peer = entry.second;
    const bool answered = peer.link.has_spoken() && peer.link.drained();
    const bool leaves = peer.leaves_at != 0 && (answered || now >= peer.leaves_at);
    if (leaves) forget(entry.first);
    return leaves;
  });
}

void Router::report_deaf(Beat& beat, Nanoseconds now, Nanoseconds awake_since) const {
  for (const auto& [id, peer] : peers_) {
    if (id == kCoordinator || peer.gone) continue;
    // Time in which this process did not run does not count as silence of others.
    const Nanoseconds unresponsive_peer = std::min(peer.link.deaf_for(now), now - awake_since);
    if (unresponsive_peer <= static_cast<Nanoseconds>(beat.unresponsive_ns)) continue;
    beat.unresponsive_peer = id;
    beat.unresponsive_ns = static_cast<std::uint64_t>(unresponsive_peer);
  }
}

}  // namespace rota
