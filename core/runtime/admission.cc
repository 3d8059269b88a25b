#include "core/runtime/admission.h"

#include <algorithm>
#include <utility>

#include "core/base/version.h"

namespace rota {

namespace {

// How long a HELLO waits for its sender to show that it lives.
constexpr Nanoseconds kLifeMost = 60 * kSecond;

// Of a message out of band.
Header answer_to(const Header& header) {
  Header answer;
  answer.job = header.job;
  answer.peer_incarnation = header.incarnation;
  answer.acknowledged = header.sequence;
  answer.to = header.process;
  return answer;
}

}  // namespace

bool Admission::accepts(const Header& header, const Frames& body, const Origin& origin, Nanoseconds now) {
  const std::string from = " from " + header.process.name();
  if (origin.key && *origin.key != header.process.role)
    return refuse(std::string("a message with the key of a ") + role_name(*origin.key) + from), false;
  // An observer belongs to no job.
  if (header.job != settings_.job && header.job != 0 && settings_.job != 0)
    return receive_of_another_job(header, body, now), false;
  if (header.job == 0 && settings_.job != 0 && header.process.role != Role::observer)
    return refuse("a message without a job" + from), false;
  // Of members, whose links count messages, it is checked after the link.
  if (header.process.role == Role::observer && !may_send(header.kind, header.process.role, settings_.process.role))
    return refuse(std::string("a ") + kind_name(header.kind) + from), false;
  const bool opens_contact = header.kind == Kind::hello || header.kind == Kind::ask_status;
  if (opens_contact && !accepts_first(header, body, now)) return false;
  if (admits(header, now)) return true;
  // A peer that got its WELCOME first has greeted this process, which does not know it yet.  Nothing is lost with it.
  if (header.kind != Kind::ack || settings_.process == kCoordinator) refuse("an unexpected message" + from);
  return false;
}

// Only a first message, which is small, is decoded before its sender is admitted.  A message that cannot be decoded
// changes nothing: any process can send anything.
bool Admission::accepts_first(const Header& header, const Frames& body, Nanoseconds now) {
  const std::string from = " from " + header.process.name();
  if (size_of(body) > Router::kFirstBytesMost)
    return refuse(kind_name(header.kind) + (" of " + std::to_string(size_of(body))) + " bytes" + from), false;
  const auto first = decode_message(header.kind, body);
  if (!first.ok()) return refuse(first.status().what() + from), false;
  const auto* hello = std::get_if<Hello>(&*first);
  if (hello == nullptr) return true;
  if (hello->endpoint.starts_with(kReplyScheme)) return refuse("a HELLO that names no address" + from), false;
  const Router::PeerState* const peer = router_.find(header.process);
  if (peer == nullptr || settings_.process != kCoordinator) return true;
  if (hello->joins == Joins::as_new && is_another(*peer, header, now)) {
    refuse_out_of_band(header.process.name(), header.process.role, hello->endpoint, answer_to(header),
                       {ExitCode::temporary, "another " + header.process.name() + " is there already"}, now);
    return refuse("a HELLO of another" + from), false;
  }
  // It may not have received that: it was suspended, or unreachable.  Without an answer it would keep calling in vain,
  // and would not be restarted meanwhile.
  if (peer->was_replaced(header.incarnation))
    return dismiss(header.process, header.incarnation, hello->endpoint, now), false;
  if (is_replacement(*peer, header)) return probe(header, body, hello->endpoint, now), false;
  return true;
}

Result<std::optional<Message>> Admission::open(NodeId process, Delivery& delivery) {
  // No process may send for a node of another one.  The node may have been there when the message was sent.
  if (router_.process_of(delivery.from) != process) {
    refuse("a message of " + delivery.from.name() + " from " + process.name());
    return std::optional<Message>();
  }
  if (!may_send(delivery.kind, delivery.from.role, delivery.to.role)) {
    refuse(std::string("a ") + kind_name(delivery.kind) + " from " + delivery.from.name() + " to " +
           delivery.to.name());
    return std::optional<Message>();
  }
  auto message = decode_message(delivery.kind, delivery.frames);
  delivery.frames.clear();  // a body may be large, and is not needed any more
  if (!message.ok()) return std::move(message).status();
  std::string& endpoint = router_.find(process)->endpoint;
  if (const auto* hello = std::get_if<Hello>(&*message)) endpoint = hello->endpoint;
  if (const auto* ask = std::get_if<AskStatus>(&*message))
    if (endpoint.empty() && !ask->endpoint.starts_with(kReplyScheme)) endpoint = ask->endpoint;
  return std::optional<Message>(*std::move(message));
}

// An unknown process can only send HELLO or ASK_STATUS; and only the coordinator takes that.
bool Admission::admits(const Header& header, Nanoseconds now) {
  // No other process may send as this one.
  if (header.process == settings_.process) return false;
  const Router::PeerState* const peer = router_.find(header.process);
  const bool opens_contact = header.kind == Kind::hello || header.kind == Kind::ask_status;
  if (opens_contact && header.from != header.process) return false;
  const bool may_be_unknown = opens_contact && header.sequence == 1 && settings_.process == kCoordinator;
  if (peer == nullptr) {
    if (!may_be_unknown) return false;
  } else {
    const std::uint64_t known = peer->link.peer_incarnation();
    // Of another start: its link finds that it is stale, unless it begins with HELLO, was not replaced already, and has
    // received this coordinator's number.
    const bool before = peer->was_replaced(header.incarnation);
    if (known == 0 || header.incarnation == known || before || !may_be_unknown) return true;
  }
  const bool guest = header.process.role == Role::observer;
  if (guest && peer == nullptr && guests() >= kGuestsMost) return false;
  replace(header.process, header.incarnation, now);
  return true;
}

// A joining process of another job would wait forever if it were ignored.  Its answer belongs to no link: a process of
// this job may have the same name.
void Admission::receive_of_another_job(const Header& header, const Frames& body, Nanoseconds now) {
  const std::string who = header.process.name();
  refuse("a message of another job from " + who);
  if (settings_.process != kCoordinator || header.kind != Kind::hello || size_of(body) > Router::kFirstBytesMost)
    return;
  const auto message = decode_message(Kind::hello, body);
  if (!message.ok()) return;
  const auto& hello = std::get<Hello>(*message);
  Refuse why{ExitCode::usage, who + " was started with other options than the coordinator"};
  if (hello.version != kVersion)
    why = {ExitCode::wrong_version, who + " is Rota " + hello.version + ", the coordinator is Rota " + kVersion};
  refuse_out_of_band(who, header.process.role, hello.endpoint, answer_to(header), why, now);
}

// Only its kind and the answer's destination are known.  The header of such a refusal is all that its receiver needs.
void Admission::receive_foreign(const Foreign& foreign, const Frames& frames, const Origin& origin, Nanoseconds now) {
  const bool opens_contact = foreign.kind == Kind::hello || foreign.kind == Kind::ask_status;
  if (settings_.process != kCoordinator || !opens_contact || frames[1].size() > Router::kFirstBytesMost) return;
  Header answer;
  answer.to = {Role::observer, 0};
  const std::string why = "protocol version " + std::to_string(foreign.version) + ", the coordinator has " +
                          std::to_string(kProtocolVersion);
  // An observer receives on its one connection; the sender of a HELLO, on its listening socket.
  std::string endpoint = Reader(frames[1].view()).get_text();
  if (endpoint.starts_with(kReplyScheme)) return;
  if (endpoint.empty() && foreign.kind == Kind::ask_status) endpoint = origin.reply;
  const Role role = origin.key.value_or(Role::observer);
  refuse_out_of_band("a stranger", role, endpoint, answer, {ExitCode::wrong_version, why}, now);
}

// ---- out of band ----

void Admission::refuse_out_of_band(const std::string& who, Role role, const std::string& endpoint, Header header,
                                   const Refuse& refusal, Nanoseconds now) {
  header.sequence = 1;
  if (send_out_of_band(role, endpoint, header, refusal, now)) on_refused_(who, refusal.what);
}

// False if it was sent before, or there are too many.
bool Admission::send_out_of_band(Role role, const std::string& endpoint, Header header, const Message& message,
                                 Nanoseconds now) {
  if (endpoint.empty()) return false;
  const Kind kind = kind_of(message);
  const auto before = std::ranges::find_if(out_of_band_, [&](const OutOfBandMessage& one) {
    return one.endpoint == endpoint && one.kind == kind && one.start == header.peer_incarnation;
  });
  if (before != out_of_band_.end()) {
    before->sent = false;  // it asks again: the first did not arrive
    return false;
  }
  if (guests() >= kGuestsMost) return false;
  header.kind = kind;
  header.process = header.from = settings_.process;
  header.incarnation = settings_.incarnation;
  const NodeId address{role, kIndexLimit + addresses_++ % kIndexLimit};
  out_of_band_.push_back({address, endpoint, with_header(header, encode_message(message)), kind,
                          header.peer_incarnation, now + kGuestStaysMost});
  return true;
}

std::optional<Transmission> Admission::next() {
  for (OutOfBandMessage& one : out_of_band_) {
    if (one.sent || one.full) continue;
    one.sent = true;
    return Transmission{one.address, one.endpoint, one.frames};
  }
  return std::nullopt;
}

void Admission::set_full(NodeId address, bool full) {
  for (OutOfBandMessage& one : out_of_band_) {
    if (one.address != address) continue;
    one.full = full;
    if (full) one.sent = false;
  }
}

void Admission::tick(Nanoseconds now) {
  router_.dismiss_guests(now);
  for (OutOfBandMessage& one : out_of_band_) one.full = false;
  while (!out_of_band_.empty() && now >= out_of_band_.front().leaves_at) {
    router_.forget(out_of_band_.front().address);
    out_of_band_.pop_front();
  }
}

// ---- replacing a member ----

// Another process has that name, and sent something recently.
bool Admission::is_another(const Router::PeerState& peer, const Header& header, Nanoseconds now) const {
  const Link& link = peer.link;
  const bool known = link.peer_incarnation() != 0 && link.peer_incarnation() != header.incarnation;
  return known && link.last_received() > 0 && now - link.last_received() < settings_.peer_timeout;
}

// A first message of another start of a member.  It may be old: of a process that was replaced, or is dead, from before
// this coordinator started.  So its sender has to prove that it lives, and has received this coordinator's number.
bool Admission::is_replacement(const Router::PeerState& peer, const Header& header) const {
  const std::uint64_t known = peer.link.peer_incarnation();
  return header.sequence == 1 && known != 0 && known != header.incarnation &&
         header.peer_incarnation != settings_.incarnation;
}

void Admission::dismiss(NodeId process, std::uint64_t start, const std::string& endpoint, Nanoseconds now) {
  Header header;
  header.job = settings_.job;
  header.peer_incarnation = start;
  header.sequence = 1;
  header.to = process;
  send_out_of_band(process.role, endpoint, header,
                   Refuse{ExitCode::temporary, "another start of " + process.name() + " took its place"}, now);
}

// With a PROBE, which every link answers.
void Admission::probe(const Header& header, const Frames& body, const std::string& endpoint, Nanoseconds now) {
  std::erase_if(replacements_, [&](const Replacement& one) {
    return now >= one.leaves_at || (one.process == header.process && one.start == header.incarnation);
  });
  if (replacements_.size() >= kGuestsMost) replacements_.pop_front();
  replacements_.push_back({header.process, header.incarnation, with_header(header, body), now + kLifeMost});
  Header question = answer_to(header);
  question.acknowledged = 0;
  send_out_of_band(header.process.role, endpoint, question, Probe{}, now);
}

std::optional<Frames> Admission::confirm_alive(const Header& header, Nanoseconds now) {
  if (replacements_.empty() || header.peer_incarnation != settings_.incarnation) return std::nullopt;
  const auto found = std::ranges::find_if(replacements_, [&](const Replacement& one) {
    return one.process == header.process && one.start == header.incarnation;
  });
  if (found == replacements_.end()) return std::nullopt;
  Frames hello = std::move(found->hello);
  replacements_.erase(found);
  replace(header.process, header.incarnation, now);
  return hello;
}

// From now on the process of that name is this start.  If the one before still lives, it is sent a REFUSE.
void Admission::replace(NodeId process, std::uint64_t start, Nanoseconds now) {
  const bool guest = process.role == Role::observer;
  if (const auto* before = router_.find(process); before != nullptr && !guest)
    dismiss(process, before->link.peer_incarnation(), before->endpoint, now);
  router_.register_peer({process, "", start});
  router_.find(process)->leaves_at = guest ? now + kGuestStaysMost : 0;
}

}  // namespace rota
