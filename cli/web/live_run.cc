#include "cli/web/live_run.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>

#include "core/base/clock.h"
#include "core/base/json_text.h"

namespace rota {

namespace {

constexpr Nanoseconds kLookEvery = kSecond;
constexpr Nanoseconds kCommentEvery = 15 * kSecond;
constexpr std::size_t kLinesAtOnce = 500;  // of each kind, to a watcher at a look

std::string without_time(Json brief) {
  brief.erase("now");
  return json_text(brief);
}

void add_event(std::string& to, const char* name, const std::string& data, const std::string& id) {
  to += std::string("event: ") + name + (id.empty() ? "" : "\nid: " + id) + "\ndata: " + data + "\n\n";
}

}  // namespace

void LiveRun::update_locked() {
  if (run_->update()) ++generation_, ++version_;
  const std::size_t metrics = run_->lines(SeenRun::Kind::metrics), events = run_->lines(SeenRun::Kind::events);
  std::string state = without_time(run_->brief());
  if (metrics != metrics_ || events != events_ || state != state_) ++version_;
  metrics_ = metrics;
  events_ = events;
  state_ = std::move(state);
}

void LiveRun::update() {
  const std::lock_guard lock(mutex_);
  update_locked();
}

Json LiveRun::brief() {
  const std::lock_guard lock(mutex_);
  update_locked();
  return run_->brief();
}

std::string LiveRun::whole(std::size_t points) {
  const std::lock_guard lock(mutex_);
  update_locked();
  return run_->whole(points);
}

std::optional<LiveRun::Position> LiveRun::Position::from(const std::string& id) {
  Position position;
  std::uint64_t generation = 0;
  const char* at = id.data();
  const char* const end = at + id.size();
  const auto number = [&](auto& to, bool last) {
    const auto [stop, error] = std::from_chars(at, end, to);
    if (error != std::errc{} || (last ? stop != end : stop == end || *stop != ':')) return false;
    at = stop + 1;
    return true;
  };
  if (!number(position.metrics, false) || !number(position.events, false) || !number(generation, true)) return {};
  position.generation = generation;
  return position;
}

std::string LiveRun::news(Position& position) {
  const std::lock_guard lock(mutex_);
  std::string text;
  if (position.generation.value_or(generation_) != generation_ || position.metrics > metrics_ ||
      position.events > events_) {
    position.is_over = true;
    add_event(text, "reset", "{}", "");
    return text;
  }
  position.generation = generation_;
  const auto id = [&] {
    return std::to_string(position.metrics) + ":" + std::to_string(position.events) + ":" + std::to_string(generation_);
  };
  const auto add_lines = [&](SeenRun::Kind kind, const char* name, std::size_t& at, std::size_t lines) {
    const std::vector<std::string> texts = run_->since(kind, at, kLinesAtOnce);
    at = lines;
    for (const std::string& line : texts) add_event(text, name, line, &line == &texts.back() ? id() : "");
  };
  add_lines(SeenRun::Kind::metrics, "metrics", position.metrics, metrics_);
  add_lines(SeenRun::Kind::events, "event", position.events, events_);
  if (state_ != position.state) {
    position.state = state_;
    add_event(text, "state", json_text(run_->brief()), id());
  }
  return text;
}

struct Watchers::Stream {
  Watchers& watchers;
  std::shared_ptr<LiveRun> run;
  LiveRun::Position position;
  std::optional<std::uint64_t> seen;  // version of the run

  Stream(Watchers& its, std::shared_ptr<LiveRun> what, LiveRun::Position from)
      : watchers(its), run(std::move(what)), position(std::move(from)) {
    const std::lock_guard lock(watchers.mutex_);
    if (!watchers.looking_.joinable() && !watchers.ending_)
      watchers.looking_ = std::thread([&all = watchers] { all.look(); });
    watchers.streams_.push_back(this);
    watchers.changed_.notify_all();
  }
  ~Stream() {
    const std::lock_guard lock(watchers.mutex_);
    std::erase(watchers.streams_, this);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

std::function<std::optional<std::string>()> Watchers::watch(std::shared_ptr<LiveRun> run, LiveRun::Position from) {
  run->update();
  auto stream = std::make_shared<Stream>(*this, std::move(run), std::move(from));
  return [stream] { return stream->watchers.next(*stream); };
}

std::optional<std::string> Watchers::next(Stream& stream) {
  if (stream.position.is_over) return std::nullopt;
  const Nanoseconds until = now_ns() + kCommentEvery;
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (const std::uint64_t version = stream.run->version(); stream.seen != version) {
      stream.seen = version;
      lock.unlock();
      if (std::string news = stream.run->news(stream.position); !news.empty()) return news;
      lock.lock();
      continue;
    }
    const std::uint64_t looks = looks_;
    const std::chrono::nanoseconds left(until - now_ns());
    if (!changed_.wait_for(lock, left, [&] { return ending_ || looks_ != looks; })) return ": \n\n";
  }
  return std::nullopt;
}

void Watchers::look() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (streams_.empty()) {
      changed_.wait(lock, [&] { return ending_ || !streams_.empty(); });
      continue;
    }
    std::set<std::shared_ptr<LiveRun>> runs;
    for (const Stream* stream : streams_) runs.insert(stream->run);
    lock.unlock();
    for (const auto& run : runs) run->update();
    runs.clear();
    lock.lock();
    if (std::ranges::any_of(streams_, [](const Stream* stream) { return stream->seen != stream->run->version(); })) {
      ++looks_;
      changed_.notify_all();
    }
    changed_.wait_for(lock, std::chrono::nanoseconds(kLookEvery), [&] { return ending_; });
  }
}

void Watchers::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  if (looking_.joinable()) looking_.join();
}

}  // namespace rota
