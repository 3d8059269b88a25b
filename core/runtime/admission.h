// core/runtime/admission.h -- which messages a process accepts, and its answers to processes outside the run:
// observers, refused processes, and replacements of members.
#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "core/runtime/router.h"
#include "core/wire/transport.h"

namespace rota {

class Admission {
 public:
  // Processes outside the run that get an answer: observers and refused processes.  At most this many at once, each
  // for at most this long.
  static constexpr std::size_t kGuestsMost = 16;
  static constexpr Nanoseconds kGuestStaysMost = 5 * kSecond;

  // `settings` and `router` outlive it; `on_refused` is called for a process that was rejected with an answer.
  Admission(const HostSettings& settings, Router& router,
            std::function<void(const std::string& who, const std::string& why)> on_refused)
      : settings_(settings), router_(router), on_refused_(std::move(on_refused)) {}

  // Whether a message is of this job and of a process that may send it.  Its sender is then a peer of the router.
  bool accepts(const Header& header, const Frames& body, const Origin& origin, Nanoseconds now);
  // The HELLO of a replacement that has received this coordinator's number, and has its place now.
  std::optional<Frames> confirm_alive(const Header& header, Nanoseconds now);
  // A message that a link delivered.  None if it is refused; the link has taken it all the same, or nothing after it
  // could come.  An error: its sender made it so, and nothing after it could ever be delivered.
  Result<std::optional<Message>> open(NodeId process, Delivery& delivery);
  // Answers a first message of another protocol version.
  void receive_foreign(const Foreign& foreign, const Frames& frames, const Origin& origin, Nanoseconds now);

  std::optional<Transmission> next();
  void set_full(NodeId address, bool full);
  void tick(Nanoseconds now);

  // Counts a frame that is refused.
  void refuse(std::string why) {
    ++refused_;
    last_refusal_ = std::move(why);
  }
  std::uint64_t refused() const { return refused_; }
  const std::string& last_refusal() const { return last_refusal_; }

 private:
  // To a process that no link is kept for: it belongs to another job or version, or is not taken in yet or any more.
  struct OutOfBandMessage {
    NodeId address;  // of the message itself: no process has it
    std::string endpoint;
    Frames frames;
    Kind kind;
    std::uint64_t start = 0;  // of the process that it is for
    Nanoseconds leaves_at = 0;
    bool full = false, sent = false;
  };
  // The first message of another start of a member, that is to show that it lives.
  struct Replacement {
    NodeId process;
    std::uint64_t start = 0;
    Frames hello;
    Nanoseconds leaves_at = 0;
  };

  bool admits(const Header& header, Nanoseconds now);
  bool accepts_first(const Header& header, const Frames& body, Nanoseconds now);
  void receive_of_another_job(const Header& header, const Frames& body, Nanoseconds now);
  bool is_another(const Router::PeerState& peer, const Header& header, Nanoseconds now) const;
  bool is_replacement(const Router::PeerState& peer, const Header& header) const;
  void probe(const Header& header, const Frames& body, const std::string& endpoint, Nanoseconds now);
  void replace(NodeId process, std::uint64_t start, Nanoseconds now);
  void dismiss(NodeId process, std::uint64_t start, const std::string& endpoint, Nanoseconds now);
  void refuse_out_of_band(const std::string& who, Role role, const std::string& endpoint, Header header,
                          const Refuse& refusal, Nanoseconds now);
  bool send_out_of_band(Role role, const std::string& endpoint, Header header, const Message& message, Nanoseconds now);
  std::size_t guests() const { return out_of_band_.size() + router_.guests(); }

  const HostSettings& settings_;
  Router& router_;
  std::function<void(const std::string& who, const std::string& why)> on_refused_;
  std::deque<OutOfBandMessage> out_of_band_;
  std::uint32_t addresses_ = 0;  // that were given to them
  std::deque<Replacement> replacements_;
  std::uint64_t refused_ = 0;
  std::string last_refusal_;
};

}  // namespace rota
