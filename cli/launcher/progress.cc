#include "cli/launcher/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/json_text.h"
#include "rota/utf8.h"

namespace rota {

namespace {

constexpr std::size_t kBarWidth = 10;

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
  if (event == "joined" && !text("as").empty()) return role + " has joined, as " + text("as");
  if (event == "slow") return role + " is slow, and gets fewer shards";
  if (event == "migrating") return "moving shards to " + text("workers") + " workers";
  if (event == "paused") return "paused" + reason;
  if (event == "not_reproducible") return "not reproducible" + reason;
  if (event == "warning") return text("what");
  return "";
}

void write_out(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::string short_number(double number) {
  constexpr const char* kUnits[] = {"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  while (std::fabs(number) >= 999.5 && unit + 1 < std::size(kUnits)) {
    number /= 1000;
    ++unit;
  }
  return with_digits("%.3g", number) + kUnits[unit];
}

std::string epoch_line(const nlohmann::json& epoch, bool narrow) {
  const auto number = [&](const char* field) { return number_in(epoch, field); };
  const double done = number("epoch"), all = number("epochs"), seconds = number("seconds");
  // Without a last epoch the share that is done is unknown.
  std::string line = narrow && all > 0 ? bar(done / all) : "epoch ";
  line += with_digits("%.0f", done);
  if (all > 0) line += "/" + with_digits("%.0f", all);
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
  line += "  " + with_digits("%.0f", number("workers")) + " workers";
  if (done > 0 && done < all) line += "  " + short_number(seconds / done * (all - done)) + " s left";
  return line;
}

void tell_of_repeated(const CommandLine& line) {
  for (const std::string& name : line.repeated)
    write_out("rota: --" + visible_text(name) + " is given more than once: the last value counts, '" +
              visible_text(line.given.find(name) == line.given.end() ? "" : line.given.find(name)->second) + "'\n");
}

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void Progress::record(const nlohmann::json& record) {
  const std::string event = text_in(record, "event");
  if (event == "epoch") {
    terminal_ ? draw(epoch_line(record, true)) : say(epoch_line(record));
  } else if (event == "phase") {
    // Off a terminal the phases are in events.jsonl; a log of lines is for the epochs.
    if (terminal_) draw(text_in(record, "phase") + " ...");
  } else if (const std::string message = message_of(record); !message.empty()) {
    say(message);
  }
}

void Progress::draw(const std::string& line) {
  line_ = visible_text(line).substr(0, terminal_width() - 1);
  write_out("\r\033[K" + line_);
}

void Progress::say(std::string_view text) {
  std::string all = visible_text(text);
  all += '\n';
  if (!line_.empty()) all = "\r\033[K" + all + line_;
  write_out(all);
}

void Progress::end() {
  if (!line_.empty()) write_out("\n");
  line_.clear();
}

}  // namespace rota
