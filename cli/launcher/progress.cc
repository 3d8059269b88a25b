#include "cli/launcher/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <fstream>

#include "core/base/json_text.h"
#include "rota/utf8.h"

namespace rota {

namespace {

constexpr std::size_t kBarWidth = 10;
constexpr Nanoseconds kRedrawSpan = kSecond;
constexpr Nanoseconds kFirstLine = 10 * kSecond;  // later ones come when it has taken twice as long
constexpr double kUsual = 4;                      // an epoch that takes this many times longer than others is reported
constexpr auto kTickSpan = std::chrono::milliseconds(200);

std::string with_digits(const char* format, double number) {
  char text[64];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

std::size_t terminal_width() {
  struct winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string bar(double done) {
  const auto full = static_cast<std::size_t>(std::clamp(done, 0.0, 1.0) * static_cast<double>(kBarWidth));
  return "[" + std::string(full, '#') + std::string(kBarWidth - full, '.') + "] ";
}

// What a user reads of the other events; "": nothing.
std::string message_of(const nlohmann::json& record) {
  const auto text = [&](const char* field) { return text_in(record, field); };
  const std::string event = text("event"), role = text("role"), why = text("why");
  const std::string reason = why.empty() ? "" : ": " + why;
  if (event == "stopping") return "stopping " + text("when");
  if (event == "resume_without_checkpoint") return "nothing to resume" + reason + "; the run starts again";
  if (event == "lost") return why;
  if (event == "rollback") return "going back to " + text("to");
  if (event == "leaving") return role + " is leaving" + reason;
  if (event == "left") return role + " has left" + reason;
  if (event == "abandoned") return role + " is abandoned" + reason;
  if (event == "joined" && (text("as") == "one more" || text("as") == "a spare"))
    return role + " has joined, as " + text("as");
  if (event == "slow") return role + " is slow, and gets fewer shards";
  if (event == "migrating")
    return "moving shards to " + counted(static_cast<std::int64_t>(number_in(record, "workers")), "workers");
  if (event == "metrics") return "metrics at " + text("address");
  if (event == "paused") return "paused" + reason;
  if (event == "not_reproducible") return "not reproducible" + reason;
  if (event == "warning") return text("what");
  return "";
}

void write_out(const std::string& text, std::FILE* to = stderr) {
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

}  // namespace

std::uint64_t bytes_read(const std::string& process) {
  std::ifstream io("/proc/" + process + "/io");
  std::string name;
  std::uint64_t bytes = 0;
  return io >> name >> bytes && name == "rchar:" ? bytes : 0;
}

std::string counted(std::int64_t number, std::string_view things) {
  return std::to_string(number) + " " + std::string(things.substr(0, things.size() - (number == 1 ? 1 : 0)));
}

std::string short_number(double number) {
  constexpr const char* kUnits[] = {"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  while (std::fabs(number) >= 999.5 && unit + 1 < std::size(kUnits)) {
    number /= 1000;
    ++unit;
  }
  return with_digits("%.3g", number) + kUnits[unit];
}

std::string short_span(double seconds) {
  const auto whole = [](double number) { return with_digits("%.0f", std::floor(number)); };
  constexpr double kMinute = 60, kHour = 3600, kDay = 86'400;
  if (seconds < 99.5) return with_digits("%.2g s", seconds);
  if (seconds < 100 * kMinute) return with_digits("%.0f min", seconds / kMinute);
  if (seconds < 2 * kDay) return whole(seconds / kHour) + " h " + whole(std::fmod(seconds, kHour) / kMinute) + " min";
  return whole(seconds / kDay) + " days " + whole(std::fmod(seconds, kDay) / kHour) + " h";
}

std::string epoch_line(const nlohmann::json& epoch, bool narrow, std::optional<double> left) {
  const auto number = [&](const char* field) { return number_in(epoch, field); };
  const double done = number("epoch"), all = number("epochs"), seconds = number("seconds");
  // Without a last epoch the share that is done is unknown.
  std::string line = narrow && all > 0 ? bar(done / all) : "epoch ";
  line += with_digits("%.0f", done);
  if (all > 0) line += "/" + with_digits("%.0f", all);
  if (!left && done > 0) left = seconds / done * (all - done);
  const std::string remaining = left && done < all ? "  " + short_span(*left) + " left" : "";
  if (narrow) line += remaining;  // a terminal cuts off the end
  if (narrow && epoch.contains("per_item")) {
    line += "  " + with_digits("%.5g", number("per_item")) + "/item";
  } else if (epoch.contains("objective")) {
    line += (narrow ? "  " : "  objective ") + with_digits("%.8g", number("objective"));
    if (epoch.contains("per_item")) line += " (" + with_digits("%.5g", number("per_item")) + " per item)";
  }
  if (epoch.contains("valid")) line += "  valid " + with_digits("%.6g", number("valid"));
  const std::string items = text_in(epoch, "items_unit");
  line += "  " + with_digits("%.2f s", seconds);
  line += "  " + short_number(number("items_per_second")) + " " + (items.empty() ? "items" : items) + "/s";
  line += "  " + counted(static_cast<std::int64_t>(number("workers")), "workers");
  return narrow ? line : line + remaining;
}

nlohmann::ordered_json event_now(const char* event) {
  return {{"event", event}, {"time", seconds_of(wall_clock_ns())}};
}

void tell_of_repeated(const CommandLine& line) {
  for (const std::string& name : line.repeated)
    write_out("rota: --" + visible_text(name) + " is given more than once: the last value counts, '" +
              visible_text(line.given.find(name) == line.given.end() ? "" : line.given.find(name)->second) + "'\n");
}

// ---- time left

void TimeLeft::add(double epoch, double time) {
  constexpr std::size_t kLeast = 10, kMost = 10'000;
  constexpr double kRecent = 10;
  points_.emplace_back(epoch, time);
  while (points_.size() > kLeast + 1 && (points_.front().second < time - kRecent || points_.size() > kMost))
    points_.pop_front();
}

std::optional<double> TimeLeft::seconds_an_epoch() const {
  if (points_.size() < 2 || points_.back().first <= points_.front().first) return std::nullopt;
  return (points_.back().second - points_.front().second) / (points_.back().first - points_.front().first);
}

std::optional<double> TimeLeft::left(double epochs) const {
  const auto each = seconds_an_epoch();
  if (!each || epochs <= 0) return std::nullopt;
  return std::max(0.0, *each * (epochs - points_.back().first));
}

// ---- what is shown

ProgressForm progress_form(const Options& options) {
  const std::string_view form = options.text("progress");
  if (form == "bar") return ProgressForm::bar;
  if (form == "lines") return ProgressForm::lines;
  if (form == "json") return ProgressForm::json;
  if (form == "none") return ProgressForm::none;
  return ::isatty(STDERR_FILENO) == 1 ? ProgressForm::bar : ProgressForm::lines;
}

void Progress::record(const nlohmann::json& record, std::string_view line) {
  const std::scoped_lock lock(mutex_);
  const std::string event = text_in(record, "event");
  if (form_ == ProgressForm::json) write_out(std::string(line) + "\n", stdout);
  if (event == "epoch") {
    take_epoch(record);
  } else if (event == "phase") {
    const std::string phase = text_in(record, "phase");
    const bool trains = phase == "training";
    if (trains) time_left_.begin(reached_, number_in(record, "time"));
    if (trains) loading_ = {};  // later a part of it is read again, and how much is not known
    // Some jobs begin with an epoch 0.
    start(!trains            ? phase
          : epoch_.is_null() ? "first epoch"
                             : "epoch " + with_digits("%.0f", reached_ + 1),
          phase == "loading" ? loading_ : Reading{});
    // Off a terminal the phases are in events.jsonl; a log of lines is for the epochs.
    if (form_ == ProgressForm::bar) draw(doing_ + " ...");
  } else if (event == "evaluating") {
    start("evaluating epoch " + with_digits("%.0f", number_in(record, "epoch")));
  } else if (event == "resume" || event == "rollback") {
    reached_ = number_in(record, "epoch");
  }
  if (const std::string message = message_of(record); !message.empty()) write_line(message);
}

void Progress::take_epoch(const nlohmann::json& record) {
  epoch_ = record;
  reached_ = number_in(record, "epoch");
  time_left_.add(reached_, number_in(record, "time"));
  // After the last one its checkpoint is written.
  const bool last = reached_ == number_in(record, "epochs");
  start(last ? "writing the checkpoint" : "epoch " + with_digits("%.0f", reached_ + 1));
  if (form_ == ProgressForm::bar) draw(newest_line(0));
  if (form_ == ProgressForm::lines) write_line(epoch_line(record, false, time_left_.left(number_in(record, "epochs"))));
}

std::string Progress::newest_line(double since_then) const {
  const auto left = time_left_.left(number_in(epoch_, "epochs"));
  return epoch_line(epoch_, true, left ? std::optional(std::max(0.0, *left - since_then)) : std::nullopt);
}

void Progress::say(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  if (form_ == ProgressForm::json) {
    auto object = event_now("message");
    object["text"] = visible_text(text);
    write_out(json_text(object) + "\n", stdout);
  }
  write_line(text);
}

void Progress::begin(const std::string& what, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  start(what, {bytes, [before = bytes_read("self")] { return bytes_read("self") - before; }});
}

void Progress::loads(Reading reading) {
  const std::scoped_lock lock(mutex_);
  loading_ = std::move(reading);
}

void Progress::start(const std::string& what, const Reading& reading) {
  doing_ = what;
  since_ = now_ns();
  reading_ = reading;
  const auto usual = what.starts_with("epoch ") ? time_left_.seconds_an_epoch() : std::nullopt;
  const Nanoseconds patience = static_cast<Nanoseconds>(kUsual * usual.value_or(0) * static_cast<double>(kSecond));
  next_note_ = since_ + (form_ == ProgressForm::lines ? std::max(kFirstLine, patience) : kRedrawSpan);
}

void Progress::tick() {
  const std::scoped_lock lock(mutex_);
  const Nanoseconds now = now_ns(), took = now - since_;
  if (doing_.empty() || form_ == ProgressForm::none || now < next_note_) return;
  next_note_ = form_ == ProgressForm::lines ? now + took : now + kRedrawSpan;
  const std::uint64_t bytes = reading_.bytes, read = bytes > 0 ? std::min(bytes, reading_.read()) : 0;
  if (form_ == ProgressForm::json) {
    auto object = event_now("working");
    object["what"] = doing_;
    object["seconds"] = seconds_of(took);
    if (bytes > 0) object["bytes_read"] = read, object["bytes"] = bytes;
    return write_out(json_text(object) + "\n", stdout);
  }
  std::string text = doing_ + " ... ";
  if (bytes > 0)
    text += short_number(static_cast<double>(read)) + " of " + short_number(static_cast<double>(bytes)) + " bytes, ";
  text += short_span(seconds_of(took));
  if (form_ == ProgressForm::lines) return write_line(text);
  // As long as the epoch is not late, what is known of the newest says more.
  const bool is_usual =
      doing_.starts_with("epoch ") && seconds_of(took) < 2 * time_left_.seconds_an_epoch().value_or(0);
  draw(is_usual ? newest_line(seconds_of(took)) : text);
}

void Progress::draw(const std::string& line) {
  line_ = visible_text(line).substr(0, terminal_width() - 1);
  write_out("\r\033[K" + line_);
}

void Progress::write_line(std::string_view text) {
  if (form_ != ProgressForm::bar && form_ != ProgressForm::lines) return;
  std::string all = visible_text(text);
  all += '\n';
  if (!line_.empty()) all = "\r\033[K" + all + line_;
  write_out(all);
}

void Progress::end() {
  const std::scoped_lock lock(mutex_);
  doing_.clear();
  if (line_.empty()) return;
  if (epoch_.is_object()) draw(epoch_line(epoch_, true));
  write_out(epoch_.is_object() ? "\n" : "\r\033[K");
  line_.clear();
}

Busy::Busy(Progress& progress, const std::string& what, std::uint64_t bytes) : progress_(progress) {
  progress.begin(what, bytes);
  ticking_ = std::jthread([&progress](const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    for (std::condition_variable_any sleep; !stop.stop_requested(); progress.tick())
      sleep.wait_for(lock, stop, kTickSpan, [] { return false; });
  });
}

Busy::~Busy() {
  ticking_ = {};
  progress_.begin("");
}

}  // namespace rota
