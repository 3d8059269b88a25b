// core/records/report.h -- lines for whoever watches (--report), without ever waiting for him: the pipe of a launcher
// that was stopped is full after 64 KiB.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace rota {

class Report {
 public:
  // What may wait for the reader; beyond that the oldest lines are dropped.
  static constexpr std::size_t kWaitingMost = std::size_t{1} << 20;

  // Writes to `fd`, which stays the caller's.
  explicit Report(int fd);
  ~Report();  // gives the reader up to two seconds for what waits
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  // `line` without its line end.
  void say(std::string line);

 private:
  void run();
  bool write_out(const std::string& line);

  int fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;  // this and the next two: guarded by mutex_
  std::size_t waiting_bytes_ = 0;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace rota
