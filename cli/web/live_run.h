// cli/web/live_run.h -- a run that several threads look at, and those who watch it.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/web/seen_run.h"

namespace rota {

// Any thread.
class LiveRun {
 public:
  explicit LiveRun(std::unique_ptr<SeenRun> run) : run_(std::move(run)) {}

  // Looks at the run.
  void update();
  // Those of SeenRun, after a look.
  Json brief();
  std::string whole(std::size_t points);

  // Where a watcher is: lines that it has, of the run as it was at that generation.
  struct Position {
    std::size_t metrics = 0, events = 0;
    std::optional<std::uint64_t> generation;  // nothing: the current one
    std::string state;                        // as it was sent last, without the time
    bool is_over = false;                     // its lines are gone: it starts again
    // "M:E:G", as the id of an event has it; nothing if it is something else.
    static std::optional<Position> from(const std::string& id);
  };
  // What is new for a watcher since its position, which moves, as server-sent events; "": nothing.  No look.
  std::string news(Position& position);
  // Changes when there may be news.
  std::uint64_t version() const { return version_; }

 private:
  void update_locked();

  std::mutex mutex_;
  std::unique_ptr<SeenRun> run_;
  std::uint64_t generation_ = 0;
  std::atomic<std::uint64_t> version_ = 0;
  std::size_t metrics_ = 0, events_ = 0;
  std::string state_;
};

// Those who watch.  One thread looks at the runs that are watched, once a second; without watchers it sleeps.
class Watchers {
 public:
  Watchers() = default;
  ~Watchers() { stop(); }
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;

  // The parts of an event stream: what is new after this position, when it is there, and a comment from time to time.
  // Ends after stop(), or when the watcher has to start again.
  std::function<std::optional<std::string>()> watch(std::shared_ptr<LiveRun> run, LiveRun::Position from);
  // All streams end.  Any thread.
  void stop();

 private:
  struct Stream;
  void look();
  std::optional<std::string> next(Stream& stream);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Stream*> streams_;
  std::thread looking_;
  std::uint64_t looks_ = 0;
  bool ending_ = false;
};

}  // namespace rota
