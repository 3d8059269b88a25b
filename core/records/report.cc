#include "core/records/report.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "core/base/clock.h"

namespace rota {

namespace {

constexpr int kPollMs = 100;
constexpr Nanoseconds kEndMost = 2 * kSecond;

}  // namespace

Report::Report(int fd) : fd_(fd), thread_([this] { run(); }) {}

Report::~Report() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Report::say(std::string line) {
  line += '\n';
  {
    const std::scoped_lock lock(mutex_);
    waiting_bytes_ += line.size();
    waiting_.push_back(std::move(line));
    while (waiting_bytes_ > kWaitingMost && waiting_.size() > 1) {
      waiting_bytes_ -= waiting_.front().size();
      waiting_.pop_front();
    }
  }
  changed_.notify_all();
}

void Report::run() {
  // A reader that is gone is none of this process' business.
  sigset_t broken;
  ::sigemptyset(&broken);
  ::sigaddset(&broken, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken, nullptr);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::string line = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= line.size();
    lock.unlock();
    if (!write_out(line)) return;
    lock.lock();
  }
}

// In pieces that a pipe takes whole once it says that it takes something.
bool Report::write_out(const std::string& line) {
  Nanoseconds closing_since = 0;
  for (std::size_t at = 0; at < line.size();) {
    pollfd wait{fd_, POLLOUT, 0};
    if (::poll(&wait, 1, kPollMs) > 0) {
      const ssize_t written = ::write(fd_, line.data() + at, std::min<std::size_t>(line.size() - at, PIPE_BUF));
      if (written > 0) at += static_cast<std::size_t>(written);
      if (written >= 0 || errno == EINTR || errno == EAGAIN) continue;
      return false;
    }
    const std::scoped_lock lock(mutex_);
    if (closing_ && closing_since == 0) closing_since = now_ns();
    if (closing_ && now_ns() - closing_since >= kEndMost) return false;
  }
  return true;
}

}  // namespace rota
