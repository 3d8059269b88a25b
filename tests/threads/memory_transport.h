// tests/threads/memory_transport.h -- frames between the process loops of one program, each in a thread of its own.
#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/wire/transport.h"

namespace rota::threads {

// The mailboxes of all endpoints.  Any thread.
class Switchboard {
 public:
  // A mailbox takes this many messages; then it is full for its senders.
  static constexpr std::size_t kMailMost = 64;

  struct Mailbox {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Frames> mail;  // guarded by mutex, as is what follows
    bool woken = false;
  };

  std::shared_ptr<Mailbox> open(const std::string& endpoint);
  std::shared_ptr<Mailbox> find(const std::string& endpoint);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Mailbox>> boxes_;  // guarded by mutex_
};

class MemoryTransport final : public Transport {
 public:
  MemoryTransport(Switchboard& switchboard, std::string endpoint)
      : switchboard_(switchboard), endpoint_(std::move(endpoint)), own_(switchboard.open(endpoint_)) {}

  const std::string& endpoint() const override { return endpoint_; }
  bool send(NodeId peer, const std::string& endpoint, const Frames& frames) override;
  std::optional<Frames> receive() override;
  Events wait(int timeout_ms) override;
  void wake() override;

 private:
  Switchboard& switchboard_;
  std::string endpoint_;
  std::shared_ptr<Switchboard::Mailbox> own_;
  std::map<NodeId, std::shared_ptr<Switchboard::Mailbox>> full_;  // that refused a message
};

}  // namespace rota::threads
