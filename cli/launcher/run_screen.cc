#include "cli/launcher/run_screen.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <numeric>

#include "cli/launcher/progress.h"
#include "core/base/json_text.h"
#include "core/base/log.h"
#include "rota/utf8.h"

namespace rota {

namespace {

constexpr std::size_t kEventsMost = 10;
constexpr std::size_t kNameWidth = 12;
constexpr std::size_t kBarWidth = 40;

template <typename... Values>
std::string form(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string clock_of(double time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm local{};
  char text[16];
  if (::localtime_r(&seconds, &local) == nullptr) return "";
  return std::strftime(text, sizeof text, "%H:%M:%S", &local) > 0 ? text : "";
}

// `more` of it follow after the share.
std::string bar_of(double share, std::size_t width, double more = 0) {
  const auto part = [width](double of) {
    return static_cast<std::size_t>(std::lround(std::clamp(of, 0.0, 1.0) * static_cast<double>(width)));
  };
  const std::size_t full = part(share), all = std::max(full, part(share + more));
  return "[" + std::string(full, '#') + std::string(all - full, '=') + std::string(width - all, '.') + "]";
}

std::vector<nlohmann::json> newest(const SeenRun& run, SeenRun::Kind kind, std::size_t most) {
  const std::size_t all = run.lines(kind);
  std::vector<std::size_t> numbers(std::min(all, most));
  std::iota(numbers.begin(), numbers.end(), all - numbers.size());
  std::vector<nlohmann::json> records;
  for (const std::string& line : run.read(kind, numbers)) records.push_back(parse_record(line));
  return records;
}

// By the newest epochs; nothing if the last one is not known.
std::string time_left(const SeenRun& run, double epochs) {
  TimeLeft left;
  const auto records = newest(run, SeenRun::Kind::epochs, 30);
  for (const auto& record : records) {
    if (&record == &records.front())
      left.begin(number_in(record, "epoch"), number_in(record, "time"));
    else
      left.add(number_in(record, "epoch"), number_in(record, "time"));
  }
  const auto seconds = left.left(epochs);
  return seconds ? "  " + short_span(*seconds) + " left" : "";
}

std::string amount(const nlohmann::json& brief, const char* name) {
  const auto found = brief.find(name);
  return found != brief.end() && found->is_number() ? form("%.8g", found->get<double>()) : "";
}

void add_head(const SeenRun& run, const nlohmann::json& brief, const nlohmann::json& record, std::size_t width,
              std::vector<std::string>& lines) {
  const double now = number_in(brief, "now");
  const auto row = [&](const char* name, const std::string& text) {
    if (!text.empty()) lines.push_back(form("%-12s ", name) + text);
  };
  row("run", text_in(brief, "name") + (text_in(brief, "app").empty() ? "" : ", app " + text_in(brief, "app")));
  row("state", text_in(brief, "state_text"));
  const double epoch = number_in(brief, "epoch", -1), epochs = number_in(brief, "epochs");
  if (epoch >= 0) {
    std::string text = form("%.0f", epoch);
    if (epochs > 0) {
      const std::size_t room = width > 60 ? std::min(kBarWidth, width - 50) : 10;
      text = bar_of(epoch / epochs, room) + " " + text + form("/%.0f", epochs);
    }
    row("epoch", text + (text_in(brief, "state") == "running" ? time_left(run, epochs) : ""));
  }
  std::string objective = amount(brief, "objective");
  if (const std::string each = amount(brief, "per_item"); !each.empty()) objective += " (" + each + " per item)";
  row("objective", objective);
  row("valid", amount(brief, "valid"));
  if (record.contains("items_per_second")) {
    const std::string unit = text_in(record, "items_unit");
    row("rate", short_number(number_in(record, "items_per_second")) + " " + (unit.empty() ? "items" : unit) + "/s, " +
                    short_number(number_in(record, "bytes_sent")) + "B sent in the epoch");
  }
  if (const auto checkpoint = brief.find("checkpoint"); checkpoint != brief.end() && checkpoint->is_object())
    row("checkpoint", form("epoch %.0f, ", number_in(*checkpoint, "epoch")) +
                          short_span(std::max(0.0, now - number_in(*checkpoint, "time"))) + " ago");
}

// "worker-0     [##########===.......]  52 % computing, 15 % wire, 120MB".  An earlier version recorded no wire.
void add_workers(const nlohmann::json& brief, const nlohmann::json& record, std::size_t width, std::size_t most,
                 std::vector<std::string>& lines) {
  const auto computed = record.find("compute_seconds"), waited = record.find("wait_seconds");
  if (computed == record.end() || waited == record.end() || !computed->is_array() || !waited->is_array()) return;
  const auto hosts = brief.find("hosts");
  const auto numbers_of = [&](const char* field) {
    const auto found = record.find(field);
    const bool fits = found != record.end() && found->is_array() && found->size() == computed->size();
    return fits ? *found : nlohmann::json();
  };
  const auto wired = numbers_of("wire_seconds"), memory = numbers_of("memory_bytes");
  const bool are_named = hosts != brief.end() && hosts->size() == computed->size();
  const std::string slowest = text_in(record, "slowest");
  lines.emplace_back();
  for (std::size_t i = 0; i < computed->size() && i < waited->size(); ++i) {
    if (i + 1 == most && computed->size() > most) {
      lines.push_back(form("... and %zu more workers", computed->size() - i));
      break;
    }
    const auto number = [i](const nlohmann::json& array) {
      return array.is_array() && array[i].is_number() ? array[i].get<double>() : 0.0;
    };
    const double compute = number(*computed), wire = number(wired), all = compute + wire + number(*waited);
    const std::string name =
        are_named ? text_in(nlohmann::json{{"name", (*hosts)[i][0]}}, "name") : form("worker %zu", i);
    const double share = all > 0 ? compute / all : 0, on_wire = all > 0 ? wire / all : 0;
    const std::size_t room = width > 60 ? std::min(kBarWidth, width - 45) : 10;
    lines.push_back(visible_text(name) + std::string(name.size() < kNameWidth ? kNameWidth - name.size() : 0, ' ') +
                    " " + bar_of(share, room, on_wire) + form(" %3.0f %% computing", 100 * share) +
                    (wired.is_null() ? "" : form(", %.0f %% wire", 100 * on_wire)) +
                    (memory.is_null() ? "" : ", " + short_number(number(memory)) + "B") +
                    (name == slowest ? ", slowest" : ""));
  }
}

std::string event_line(const nlohmann::json& event) {
  std::string line = clock_of(number_in(event, "time")) + "  " + text_in(event, "event");
  for (const auto& [name, value] : event.items())
    if (name != "event" && name != "time")
      line += " " + name + "=" + (value.is_string() ? log_value(value.get<std::string>()) : json_text(value));
  return line;
}

}  // namespace

std::vector<std::string> run_screen(const SeenRun& run, std::size_t width, std::size_t height) {
  const nlohmann::json brief = run.brief();
  const auto records = newest(run, SeenRun::Kind::metrics, 1);
  const nlohmann::json record = records.empty() ? nlohmann::json::object() : records.front();
  std::vector<std::string> lines;
  add_head(run, brief, record, width, lines);
  const std::size_t events_room = height == 0 ? kEventsMost : std::min(kEventsMost, height / 3);
  const std::size_t taken = lines.size() + events_room + 2;
  add_workers(brief, record, width, height == 0 ? SIZE_MAX : height > taken + 1 ? height - taken : 1, lines);
  const auto events = newest(run, SeenRun::Kind::events, events_room);
  if (!events.empty()) lines.emplace_back();
  for (const auto& event : events) lines.push_back(event_line(event));
  for (const std::string& problem : run.problems()) lines.push_back("problem: " + problem);
  if (height != 0 && lines.size() > height) lines.resize(height);
  for (std::string& line : lines) {
    line = visible_text(line);
    std::size_t characters = 0, at = 0;
    while (at < line.size() && characters < width)
      at += next_code_point(std::string_view(line).substr(at)).bytes, ++characters;
    line.resize(at);
  }
  return lines;
}

}  // namespace rota
