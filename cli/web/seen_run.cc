#include "cli/web/seen_run.h"

#include <algorithm>
#include <numeric>

#include "core/base/clock.h"
#include "core/base/json_text.h"
#include "core/records/run_history.h"

namespace rota {

namespace {

constexpr std::size_t kEventsMost = 10'000;
constexpr std::size_t kProblemsMost = 20;

// Appends them as a JSON array, without those that are no objects.
void append_array(const SeenRun& run, SeenRun::Kind kind, const std::vector<std::size_t>& numbers, std::string& to,
                  std::vector<std::string>& problems) {
  std::size_t wrong = 0;
  const std::vector<std::string> lines = run.read(kind, numbers);
  to += '[';
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_json_object(lines[i])) {
      if (++wrong <= kProblemsMost) problems.push_back(run.place_of(kind, numbers[i]) + " is not a JSON object");
      continue;
    }
    if (to.back() != '[') to += ',';
    to += lines[i];
  }
  to += ']';
  if (wrong > kProblemsMost) problems.push_back(std::to_string(wrong - kProblemsMost) + " more lines like this");
}

std::vector<std::size_t> newest(std::size_t lines, std::size_t most) {
  std::vector<std::size_t> numbers(std::min(lines, most));
  std::iota(numbers.begin(), numbers.end(), lines - numbers.size());
  return numbers;
}

// When epochs were over: two arrays.
Json epoch_times(const SeenRun& run, std::size_t points) {
  Json epochs = Json::array(), times = Json::array();
  for (const std::string& line : run.read(SeenRun::Kind::epochs, evenly(run.lines(SeenRun::Kind::epochs), points))) {
    const nlohmann::json record = parse_record(line);
    const auto epoch = record.find("epoch"), time = record.find("time");
    if (epoch == record.end() || time == record.end() || !epoch->is_number() || !time->is_number()) continue;
    epochs.push_back(Json(*epoch));
    times.push_back(Json(*time));
  }
  return {{"epoch", epochs}, {"time", times}};
}

}  // namespace

bool is_json_object(const std::string& line) {
  return line.starts_with('{') && nlohmann::json::accept(line);
}

nlohmann::json parse_record(const std::string& line) {
  auto json = nlohmann::json::parse(line, nullptr, false);
  return json.is_object() ? json : nlohmann::json::object();
}

double clock_seconds() {
  return seconds_of(wall_clock_ns());
}

std::string SeenRun::whole(std::size_t points) const {
  Json head = brief();
  head.update(facts());
  head["epochs_seen"] = epoch_times(*this, points);
  std::vector<std::string> wrong = problems();
  const std::size_t metrics = lines(Kind::metrics), events = lines(Kind::events);
  // The lines stand in it as they are: all digits of their numbers are kept.
  std::string records = ",\"metrics\":{\"lines\":" + std::to_string(metrics) + ",\"records\":";
  append_array(*this, Kind::metrics, evenly(metrics, points), records, wrong);
  records += "},\"events\":{\"lines\":" + std::to_string(events) + ",\"records\":";
  append_array(*this, Kind::events, newest(events, kEventsMost), records, wrong);
  records += "}}";
  head["problems"] = wrong;
  std::string text = json_text(head);
  text.pop_back();
  return text + records;
}

std::vector<std::string> SeenRun::since(Kind kind, std::size_t first, std::size_t most) const {
  const std::size_t all = lines(kind);
  if (first >= all) return {};
  std::vector<std::size_t> numbers = evenly(all - first, most);
  for (std::size_t& number : numbers) number += first;
  std::vector<std::string> texts = read(kind, numbers);
  std::erase_if(texts, [](const std::string& text) { return !is_json_object(text); });
  return texts;
}

}  // namespace rota
