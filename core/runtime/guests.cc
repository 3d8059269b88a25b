// core/runtime/guests.cc -- the part of Host that deals with those who are not of the run: who only asks, who is
// refused, and who wants the place of a member.
#include <algorithm>
#include <utility>

#include "core/base/version.h"
#include "core/runtime/host.h"

namespace rota {

namespace {

// How long a HELLO waits for its sender to show that it lives.
constexpr Nanoseconds kLifeMost = 60 * kSecond;

}  // namespace

std::size_t Host::guests() const {
  return letters_.size() + static_cast<std::size_t>(std::count_if(
                               peers_.begin(), peers_.end(), [](auto& peer) { return peer.second.leaves_at != 0; }));
}

// Guests go when they have their answer, or have had the time for it; or each would cost memory and descriptors until
// the run ends.
void Host::dismiss_guests(Nanoseconds now) {
  std::erase_if(peers_, [&](const auto& entry) {
    const PeerState& peer = entry.second;
    const bool answered = peer.link.has_spoken() && peer.link.drained();
    const bool leaves = peer.leaves_at != 0 && (answered || now >= peer.leaves_at);
    if (leaves) forgotten_.push_back(entry.first);
    return leaves;
  });
  for (Letter& letter : letters_) letter.full = false;
  while (!letters_.empty() && now >= letters_.front().leaves_at) {
    forgotten_.push_back(letters_.front().address);
    letters_.pop_front();
  }
}

// Of a letter.
Header Host::answer_to(const Header& header) {
  Header answer;
  answer.job = header.job;
  answer.peer_incarnation = header.incarnation;
  answer.acknowledged = header.sequence;
  answer.to = header.process;
  return answer;
}

// A joining process of another job would wait for ever if it were only ignored.  It gets its answer apart from all
// links: a process of this job may have the same name.
void Host::receive_of_another_job(const Header& header, const Frames& body, Nanoseconds now) {
  const std::string who = header.process.name();
  refuse("a message of another job from " + who);
  if (settings_.process != kCoordinator || header.kind != Kind::hello || size_of(body) > kFirstBytesMost) return;
  const auto message = decode_message(Kind::hello, body);
  if (!message.ok()) return;
  const auto& hello = std::get<Hello>(*message);
  const Header answer = answer_to(header);
  if (hello.version != kVersion) {
    const std::string versions = who + " is Rota " + hello.version + ", the coordinator is Rota " + kVersion;
    refuse_by_letter(who, header.process.role, hello.endpoint, answer, {ExitCode::wrong_version, versions}, now);
  } else {
    refuse_by_letter(who, header.process.role, hello.endpoint, answer,
                     {ExitCode::usage, who + " was started with other options than the coordinator"}, now);
  }
}

// Of a message of another protocol version only its kind is known, and of a first message where the answer goes.  Who
// hears such a refusal knows from its header all that there is to know.
void Host::receive_foreign(const Frames& frames, const std::string& what, const Origin& origin, Nanoseconds now) {
  refuse(what);
  const auto foreign = decode_foreign(frames);
  if (!foreign) return;
  const std::string theirs = std::to_string(foreign->version), ours = std::to_string(kProtocolVersion);
  const bool waits = joining_ || settings_.process.role == Role::observer;
  if (waits && foreign->kind == Kind::refuse) {
    dismissed_ = true;
    return end({ExitCode::wrong_version, "the coordinator speaks protocol version " + theirs + ", and " +
                                             settings_.process.name() + " speaks version " + ours},
               now);
  }
  const bool opens_contact = foreign->kind == Kind::hello || foreign->kind == Kind::ask_status;
  if (settings_.process != kCoordinator || !opens_contact || frames[1].size() > kFirstBytesMost) return;
  Header answer;
  answer.to = {Role::observer, 0};
  const std::string why = "it speaks protocol version " + theirs + ", and the coordinator speaks version " + ours;
  // Who asks has one connection, by which it hears; who says HELLO hears where it listens.
  std::string endpoint = Reader(frames[1].view()).get_text();
  if (endpoint.starts_with(kReplyScheme)) return;
  if (endpoint.empty() && foreign->kind == Kind::ask_status) endpoint = origin.reply;
  const Role role = origin.key.value_or(Role::observer);
  refuse_by_letter("a stranger", role, endpoint, answer, {ExitCode::wrong_version, why}, now);
}

void Host::refuse_by_letter(const std::string& who, Role role, const std::string& endpoint, Header header,
                            const Refuse& refusal, Nanoseconds now) {
  header.sequence = 1;
  if (write_letter(role, endpoint, header, refusal, now))
    for (const auto& [id, node] : nodes_) node->peer_refused(who, refusal.what);
}

// False if it was written before, or there are too many.
bool Host::write_letter(Role role, const std::string& endpoint, Header header, const Message& message,
                        Nanoseconds now) {
  if (endpoint.empty()) return false;
  const Kind kind = kind_of(message);
  const auto before = std::find_if(letters_.begin(), letters_.end(), [&](const Letter& letter) {
    return letter.endpoint == endpoint && letter.kind == kind && letter.start == header.peer_incarnation;
  });
  if (before != letters_.end()) {
    before->sent = false;  // it asks again: the first did not arrive
    return false;
  }
  if (guests() >= kGuestsMost) return false;
  header.kind = kind;
  header.process = header.from = settings_.process;
  header.incarnation = settings_.incarnation;
  const NodeId address{role, kIndexLimit + letters_written_++ % kIndexLimit};
  letters_.push_back({address, endpoint, with_header(header, encode_message(message)), kind, header.peer_incarnation,
                      now + kGuestStaysMost});
  return true;
}

// ---- who wants the place of a member ----

// Somebody else has that name, and was heard not long ago.
bool Host::is_another(const Header& header, Nanoseconds now) const {
  const auto peer = peers_.find(header.process);
  if (peer == peers_.end() || settings_.process != kCoordinator) return false;
  const Link& link = peer->second.link;
  const bool known = link.peer_incarnation() != 0 && link.peer_incarnation() != header.incarnation;
  return known && link.heard_at() > 0 && now - link.heard_at() < settings_.peer_timeout;
}

// A first word of another start of a member.  It may be from the past: of a process that was replaced, or is dead, from
// before this coordinator was there.  So its sender has to show that it lives, and has heard of this coordinator.
bool Host::wants_place(const Header& header) const {
  const auto peer = peers_.find(header.process);
  if (peer == peers_.end() || settings_.process != kCoordinator || header.sequence != 1) return false;
  const std::uint64_t known = peer->second.link.peer_incarnation();
  return known != 0 && known != header.incarnation && header.peer_incarnation != settings_.incarnation;
}

// It may have heard nothing of that: it stood still, or could not be reached.  Without an answer it would call until
// nobody waits for it any more, and nobody would start it anew meanwhile.
bool Host::was_replaced(const Header& header) const {
  const auto peer = peers_.find(header.process);
  if (peer == peers_.end() || settings_.process != kCoordinator) return false;
  const auto& replaced = peer->second.replaced;
  return std::find(replaced.begin(), replaced.end(), header.incarnation) != replaced.end();
}

void Host::dismiss(NodeId process, std::uint64_t start, const std::string& endpoint, Nanoseconds now) {
  Header header;
  header.job = settings_.job;
  header.peer_incarnation = start;
  header.sequence = 1;
  header.to = process;
  write_letter(process.role, endpoint, header,
               Refuse{ExitCode::temporary, "another start of " + process.name() + " took its place"}, now);
}

// With a PROBE, which every link answers.
void Host::ask_for_life(const Header& header, const Frames& body, const std::string& endpoint, Nanoseconds now) {
  std::erase_if(newcomers_, [&](const Newcomer& one) {
    return now >= one.leaves_at || (one.process == header.process && one.start == header.incarnation);
  });
  if (newcomers_.size() >= kGuestsMost) newcomers_.pop_front();
  newcomers_.push_back({header.process, header.incarnation, with_header(header, body), now + kLifeMost});
  Header question = answer_to(header);
  question.acknowledged = 0;
  write_letter(header.process.role, endpoint, question, Probe{}, now);
}

// The HELLO of a newcomer that has heard of this coordinator.
std::optional<Frames> Host::proves_life(const Header& header) {
  if (newcomers_.empty() || header.peer_incarnation != settings_.incarnation) return std::nullopt;
  const auto found = std::find_if(newcomers_.begin(), newcomers_.end(), [&](const Newcomer& one) {
    return one.process == header.process && one.start == header.incarnation;
  });
  if (found == newcomers_.end()) return std::nullopt;
  Frames hello = std::move(found->hello);
  newcomers_.erase(found);
  return hello;
}

// From now on the process of that name is this start.  If the one before still lives, it hears that it has to end.
void Host::take_place(NodeId process, std::uint64_t start, Nanoseconds now) {
  const bool guest = process.role == Role::observer;
  if (const auto before = peers_.find(process); before != peers_.end() && !guest)
    dismiss(process, before->second.link.peer_incarnation(), before->second.endpoint, now);
  register_peer({process, "", start});
  peers_.at(process).leaves_at = guest ? now + kGuestStaysMost : 0;
}

// A REFUSE for this very start, whatever it has heard before from whichever coordinator.
bool Host::is_dismissal(const Header& header) const {
  return header.kind == Kind::refuse && header.process == kCoordinator && (joining_ || member_) &&
         header.peer_incarnation == settings_.incarnation;
}

void Host::receive_dismissal(const Header& header, const Frames& body, const Outbox::World& world) {
  auto message = decode_message(header.kind, body);
  if (!message.ok()) return refuse(message.status().what() + " from " + header.process.name());
  membership({header.process, settings_.process, *std::move(message)}, world);
}

}  // namespace rota
