// cli/launcher/progress.h -- shows how a run goes, from the coordinator's records: a line that is redrawn on a
// terminal, a line for each epoch elsewhere, or JSON for a program that drives Rota.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/clock.h"
#include "core/base/flags.h"
#include "rota/options.h"

namespace rota {

enum class ProgressForm { bar, lines, json, none };

inline constexpr Option kProgressOption = {
    .name = "progress",
    .kind = Option::Kind::choice,
    .default_value = "auto",
    .unit = "auto|bar|lines|json|none",
    .meaning =
        "How progress is shown: on stderr, as a bar or as lines, or not at all; json: on stdout, one JSON object "
        "a line, the result last. auto: a bar on a terminal, else lines."};
ProgressForm progress_form(const Options& options);

// "epoch 3/20  objective -3901234.5 (-8.341 per item)  1.21 s  11.2M tokens/s  2 workers  6.9 s left"
// or on a narrow terminal: "[#.........] 3/20  6.9 s left  -8.341/item  1.21 s  11.2M tokens/s  2 workers"
// `left`: seconds; if not given, by the mean of all epochs.
std::string epoch_line(const nlohmann::json& epoch, bool narrow = false, std::optional<double> left = {});
// "1 worker", "3 workers"; `things` ends with an s.
std::string counted(std::int64_t number, std::string_view things);
// 1234567 -> "1.23M"
std::string short_number(double number);
// Seconds, for people: "6.9 s", "12 min", "2 h 14 min", "3 days 5 h".
std::string short_span(double seconds);

// Bytes that a process ("self", or its number) has read until now, as the system counts them; 0 if it does not.
std::uint64_t bytes_read(const std::string& process);

// An object of this kind, as the coordinator's records begin.
nlohmann::ordered_json event_now(const char* event);

// On stderr: flags that the command line gives more than once, of which the last counts.
void tell_of_repeated(const CommandLine& line);

// How long a job takes from now on, by the rate of its newest epochs: those of the last ten seconds, at least ten.
// Evaluations and checkpoints between them count.
class TimeLeft {
 public:
  // Epochs come after this one from now on.  Times are seconds since any moment.
  void begin(double epoch, double time) { points_.assign(1, {epoch, time}); }
  // It is over.
  void add(double epoch, double time);
  std::optional<double> seconds_an_epoch() const;
  // Nothing if the last epoch is not known (0), or no rate yet.
  std::optional<double> left(double epochs) const;

 private:
  std::deque<std::pair<double, double>> points_;  // epochs, and when they were over
};

// How much is read of how much; 0 bytes: it is not known.
struct Reading {
  std::uint64_t bytes = 0;
  std::function<std::uint64_t()> read = nullptr;
};

// Any thread.
class Progress {
 public:
  explicit Progress(ProgressForm form) : form_(form) {}
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Takes a record of the coordinator's, and the line that it was read from.
  void record(const nlohmann::json& record, std::string_view line);
  // A message to the user, above the line that is being drawn.
  void say(std::string_view text);
  // What takes its time from now on, "loading"; "": nothing.  `bytes`: what it reads, of which the share is shown too.
  void begin(const std::string& what, std::uint64_t bytes = 0);
  // Of the run's processes, while it loads until its first epoch.  tick() calls it.
  void loads(Reading reading);
  // To be called some times a second: shows how long that has taken, if it has for long.
  void tick();
  // Leaves the newest epoch's line as it is, and draws no more.
  void end();

 private:
  void take_epoch(const nlohmann::json& record);
  void start(const std::string& what, const Reading& reading = {});
  void write_line(std::string_view text);
  void draw(const std::string& line);
  std::string newest_line(double since_then) const;

  const ProgressForm form_;
  std::mutex mutex_;      // for all that follows
  std::string line_;      // as drawn now
  nlohmann::json epoch_;  // the newest; null: none yet
  double reached_ = 0;    // the epoch that the next ones follow
  TimeLeft time_left_;
  std::string doing_;
  Nanoseconds since_ = 0, next_note_ = 0;
  Reading reading_, loading_;
};

// Ticks, on a thread, while the caller is busy with one thing.
class Busy {
 public:
  Busy(Progress& progress, const std::string& what, std::uint64_t bytes = 0);
  ~Busy();
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  Progress& progress_;
  std::jthread ticking_;
};

}  // namespace rota
