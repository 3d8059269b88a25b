#include "cli/web/folder_run.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/base/files.h"
#include "core/base/json_text.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFileBytesMax = std::size_t{16} << 20;
constexpr std::size_t kEventsAtOnce = 1000;
// A coordinator of another machine is believed to run so long after the last sign of it.
constexpr double kSignSeconds = 120;

std::string all_locks() {
  std::ifstream in("/proc/locks", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

double changed_at(const fs::path& file) {
  struct stat facts = {};
  if (::stat(file.c_str(), &facts) != 0) return 0;
  return static_cast<double>(facts.st_mtim.tv_sec) + static_cast<double>(facts.st_mtim.tv_nsec) * 1e-9;
}

std::map<std::string, std::string> options_in(const std::string& flags) {
  std::map<std::string, std::string> options;
  std::istringstream lines(flags);
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.find('='); line.starts_with("--") && at != line.npos)
      options[visible_text(line.substr(2, at - 2))] = visible_text(line.substr(at + 1));
  return options;
}

// A number of an option, or null.
Json number_of(const std::map<std::string, std::string>& options, const char* name) {
  const auto found = options.find(name);
  if (found == options.end()) return nullptr;
  std::int64_t number = 0;
  const char* const end = found->second.data() + found->second.size();
  return std::from_chars(found->second.data(), end, number).ptr == end ? Json(number) : Json(nullptr);
}

std::string digits(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

}  // namespace

bool has_run(const fs::path& folder) {
  const RunFolder run{folder};
  std::error_code error;
  for (const fs::path& file : {run.flags(), run.events(), run.metrics(), run.marker()})
    if (fs::is_regular_file(file, error)) return true;
  return false;
}

bool is_locked(const fs::path& file, const std::string& proc_locks) {
  struct stat facts = {};
  if (::stat(file.c_str(), &facts) != 0) return false;
  std::istringstream lines(proc_locks);
  for (std::string line; std::getline(lines, line);) {
    // "3: FLOCK  ADVISORY  WRITE 18111 fe:00:15040547 0 EOF"
    unsigned major = 0, minor = 0;
    unsigned long long inode = 0;
    if (std::sscanf(line.c_str(), "%*d: FLOCK %*s WRITE %*d %x:%x:%llu", &major, &minor, &inode) != 3) continue;
    // Some file systems (overlay, btrfs) have several numbers of devices.
    const bool same_device =
        ::major(facts.st_dev) == 0 || (::major(facts.st_dev) == major && ::minor(facts.st_dev) == minor);
    if (inode == facts.st_ino && same_device) return true;
  }
  return false;
}

const std::vector<LinePlace>& FolderRun::places(Kind kind) const {
  return kind == Kind::metrics  ? history_.metrics.lines()
         : kind == Kind::events ? history_.events.lines()
                                : history_.events.apart();
}

std::vector<std::string> FolderRun::read(Kind kind, std::span<const std::size_t> numbers) const {
  const auto& all = places(kind);
  std::vector<LinePlace> wanted;
  for (const std::size_t number : numbers) wanted.push_back(all.at(number));
  return (kind == Kind::metrics ? history_.metrics : history_.events).read(wanted);
}

std::string FolderRun::place_of(Kind kind, std::size_t number) const {
  std::size_t line = number + 1;
  if (kind != Kind::metrics) {
    const auto& others = places(kind == Kind::events ? Kind::epochs : Kind::events);
    line += static_cast<std::size_t>(std::ranges::lower_bound(others, places(kind).at(number).at, {}, &LinePlace::at) -
                                     others.begin());
  }
  return (kind == Kind::metrics ? "metrics.jsonl line " : "events.jsonl line ") + std::to_string(line);
}

bool FolderRun::update() {
  const std::size_t metrics = lines(Kind::metrics), epochs = lines(Kind::epochs);
  const bool replaced = history_.update();
  if (replaced) told_ = {};
  while (told_.events < lines(Kind::events)) {
    const auto some = LineIndex::from(places(Kind::events), told_.events, kEventsAtOnce);
    const std::vector<std::string> texts = history_.events.read(some);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const nlohmann::json event = parse_record(texts[i]);
      take_event(event);
      if (text_in(event, "event") == "rollback") told_.rollback_at = some[i].at;
    }
    told_.events += texts.size();
  }
  const auto last = [&](Kind kind) {
    const std::size_t all = lines(kind);
    return all == 0 ? nlohmann::json() : parse_record(read(kind, std::vector{all - 1}).front());
  };
  if (replaced || lines(Kind::metrics) != metrics) newest_ = last(Kind::metrics);
  if (replaced || lines(Kind::epochs) != epochs) newest_epoch_ = last(Kind::epochs);
  read_files();
  return replaced;
}

void FolderRun::take_event(const nlohmann::json& event) {
  const std::string name = text_in(event, "event"), role = text_in(event, "role");
  const double time = number_in(event, "time");
  if (told_.first_time == 0) told_.first_time = time;
  told_.assignment.take(name, event);
  if (name == "started") told_.version = text_in(event, "version");
  if (name == "phase") told_.phase = text_in(event, "phase");
  if (name == "lost" || name == "unresponsive") told_.missing.insert(role);
  if (name == "joined" || name == "abandoned" || name == "left") told_.missing.erase(role);
  const auto whole = [&](const char* field) { return static_cast<std::int64_t>(number_in(event, field)); };
  if (name == "checkpoint") told_.checkpoint = {{"epoch", whole("epoch")}, {"time", time}};
  if (name == "partitioned") told_.slices = whole("slices");
  // What comes after an end is of the next start.
  told_.end = name == "end" ? event : nlohmann::json();
}

void FolderRun::read_files() {
  const RunFolder& run = folder();
  if (const double changed = changed_at(run.flags()); changed != flags_changed_) {
    flags_changed_ = changed;
    const auto flags = read_whole_file(run.flags(), kFileBytesMax);
    options_ = options_in(flags.ok() ? *flags : "");
  }
  auto result = read_whole_file(run.result(), kFileBytesMax);
  std::string text = result.ok() ? *std::move(result) : "";
  if (text != result_text_) {
    result_text_ = std::move(text);
    const nlohmann::json json = parse_record(result_text_);
    result_is_damaged_ = !result_text_.empty() && json.empty();
    result_ = json.empty() ? nlohmann::json() : json;
  }
  address_ = run.read_address();
  const std::string locks = all_locks();
  is_held_ = is_locked(run.lock(), locks) || is_locked(run.path, locks);
  changed_ = std::max({changed_at(run.events()), changed_at(run.metrics()), flags_changed_});
}

std::pair<std::string, std::string> FolderRun::state() const {
  const bool is_elsewhere =
      !is_held_ && address_ && address_->starts_with("tcp://") && clock_seconds() - changed_ < kSignSeconds;
  if (is_held_ || (is_elsewhere && told_.end.is_null() && result_.is_null())) {
    std::string text = "running, " + (told_.phase.empty() ? "starting" : "phase " + visible_text(told_.phase));
    for (const std::string& role : told_.missing)
      text += (role == *told_.missing.begin() ? "; missing: " : ", ") + visible_text(role);
    return {"running", text};
  }
  if (!result_.is_null())
    return {"done", "done: " + digits(number_in(result_, "epochs")) + " epochs, " +
                        digits(number_in(result_, "seconds")) + " s of training"};
  std::error_code error;
  const std::string hint = fs::exists(folder().checkpoint(), error) ? "; `rota resume` continues it" : "";
  if (!told_.end.is_null()) {
    const std::string what = visible_text(text_in(told_.end, "what"));
    const bool has_hint = what.find("rota resume") != what.npos;
    return {"ended", "ended, exit code " + digits(number_in(told_.end, "exit")) + ": " + what + (has_hint ? "" : hint)};
  }
  if (address_ && address_->starts_with("tcp://"))
    return {"stale", "no sign of life for more than " + digits(kSignSeconds) +
                         " s; if its coordinator runs on another machine, ask it: rota status " + *address_};
  return {"stale", "not running: its coordinator was killed, its machine has stopped, or it has never started" + hint};
}

Json FolderRun::brief() const {
  const auto [state, text] = this->state();
  const auto option = [&](const char* name) { return number_of(options_, name); };
  const auto app = options_.find("app");
  Json json;
  json["name"] = name_;
  json["app"] = app != options_.end() ? app->second : result_.is_null() ? "" : text_in(result_, "app");
  json["state"] = state;
  json["state_text"] = text;
  if (!told_.end.is_null() && state != "running") json["exit"] = static_cast<int>(number_in(told_.end, "exit"));
  json["phase"] = told_.phase;
  json["missing"] = told_.missing;
  json["epochs"] = option("epochs");
  // The newest of both: not each epoch is evaluated, and events may be missing.  Those before a rollback are over.
  const auto& all_epochs = places(Kind::epochs);
  const bool counts = newest_epoch_.is_object() && all_epochs.back().at >= told_.rollback_at;
  const nlohmann::json none = nlohmann::json::object();
  const nlohmann::json& record = newest_.is_object() ? newest_ : none;
  const nlohmann::json& event = counts ? newest_epoch_ : none;
  const nlohmann::json& newest = number_in(event, "epoch", -1) >= number_in(record, "epoch", -1) ? event : record;
  for (const char* name : {"epoch", "epochs", "seconds"})
    if (newest.contains(name)) json[name] = newest[name];
  if (event.contains("time")) json["time"] = event["time"];
  for (const char* name : {"objective", "per_item", "valid"})
    if (newest_.is_object() && newest_.contains(name)) json[name] = newest_[name];
  if (result_.is_object() && result_.contains("model_hash")) json["model_hash"] = result_["model_hash"];
  json["checkpoint"] = told_.checkpoint;
  const auto& hosts = told_.assignment.hosts();
  json["workers"] = hosts.empty() ? option("workers") : Json(hosts.size());
  for (const char* name : {"threads", "shards", "schedulers"}) json[name] = option(name);
  json["slices"] = told_.slices > 0 ? Json(told_.slices) : Json();
  json["hosts"] = Json::array();
  for (const auto& [role, shards] : hosts) json["hosts"].push_back({role, shards});
  json["started"] = told_.first_time > 0 ? Json(told_.first_time) : Json();
  json["changed"] = changed_ > 0 ? Json(changed_) : Json();
  json["now"] = clock_seconds();
  return json;
}

Json FolderRun::facts() const {
  return {{"folder", visible_text(folder().path.native())},
          {"options", options_},
          {"result", result_},
          {"version", told_.version.empty() ? Json() : Json(visible_text(told_.version))}};
}

std::vector<std::string> FolderRun::problems() const {
  std::vector<std::string> problems;
  if (flags_changed_ == 0) problems.emplace_back("flags.txt is missing: the options of the run are not known");
  if (result_is_damaged_) problems.emplace_back("result.json is not a JSON object");
  const bool runs = state().first == "running";
  for (const auto& [name, index] : {std::pair{"metrics.jsonl", &history_.metrics}, {"events.jsonl", &history_.events}})
    if (index->is_torn() && !runs) problems.push_back(std::string(name) + " ends in the middle of a line");
  if (newest_.is_object() && !newest_.contains("epoch"))
    problems.push_back(place_of(Kind::metrics, lines(Kind::metrics) - 1) +
                       " has no epoch: was it written by another version of Rota?");
  return problems;
}

}  // namespace rota
