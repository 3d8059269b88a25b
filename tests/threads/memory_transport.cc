#include "tests/threads/memory_transport.h"

#include <chrono>

namespace rota::threads {

std::shared_ptr<Switchboard::Mailbox> Switchboard::open(const std::string& endpoint) {
  const std::scoped_lock lock(mutex_);
  return boxes_[endpoint] = std::make_shared<Mailbox>();
}

std::shared_ptr<Switchboard::Mailbox> Switchboard::find(const std::string& endpoint) {
  const std::scoped_lock lock(mutex_);
  const auto found = boxes_.find(endpoint);
  return found == boxes_.end() ? nullptr : found->second;
}

bool MemoryTransport::send(NodeId peer, const std::string& endpoint, const Frames& frames) {
  const auto box = switchboard_.find(endpoint);
  if (!box) return false;  // no process listens there yet: sent again with the next tick
  {
    const std::scoped_lock lock(box->mutex);
    if (box->mail.size() >= Switchboard::kMailMost) {
      full_[peer] = box;
      return false;
    }
    box->mail.push_back(frames);
  }
  box->changed.notify_one();
  return true;
}

std::optional<Frames> MemoryTransport::receive() {
  const std::scoped_lock lock(own_->mutex);
  if (own_->mail.empty()) return std::nullopt;
  Frames frames = std::move(own_->mail.front());
  own_->mail.pop_front();
  return frames;
}

Transport::Events MemoryTransport::wait(int timeout_ms) {
  {
    std::unique_lock lock(own_->mutex);
    own_->changed.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                           [this] { return own_->woken || !own_->mail.empty(); });
    own_->woken = false;
  }
  Events events;
  for (auto at = full_.begin(); at != full_.end();) {
    const std::scoped_lock lock(at->second->mutex);
    const bool room = at->second->mail.size() < Switchboard::kMailMost;
    if (room) events.writable.push_back(at->first);
    at = room ? full_.erase(at) : std::next(at);
  }
  return events;
}

void MemoryTransport::wake() {
  {
    const std::scoped_lock lock(own_->mutex);
    own_->woken = true;
  }
  own_->changed.notify_one();
}

}  // namespace rota::threads
