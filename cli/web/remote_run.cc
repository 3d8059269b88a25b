#include "cli/web/remote_run.h"

#include "core/base/json_text.h"
#include "core/runtime/observe.h"
#include "rota/utf8.h"

namespace rota {

namespace {

constexpr int kAnswerMs = 2000;
constexpr std::size_t kRecordsMost = 20'000;  // kept; the older half goes, but every other one

}  // namespace

Result<std::unique_ptr<RemoteRun>> RemoteRun::open(const std::string& address, const std::filesystem::path& keys,
                                                   const std::string& name) {
  auto run = std::unique_ptr<RemoteRun>(new RemoteRun(address, keys, name));
  const auto answer = ask_status(address, kAnswerMs, keys);
  if (!answer.ok() && answer.status().code() != ExitCode::temporary) return answer.status();
  run->take(answer.ok() ? *answer : "", answer.ok() ? "" : answer.status().what());
  return run;
}

bool RemoteRun::update() {
  if (asked_ != 0 && now_ns() - asked_ < kSecond) return false;
  const auto answer = ask_status(address_, kAnswerMs, keys_);
  return take(answer.ok() ? *answer : "", answer.ok() ? "" : answer.status().what());
}

bool RemoteRun::take(const std::string& answer, const std::string& why) {
  asked_ = now_ns();
  const nlohmann::json json = parse_record(answer);
  silent_ = json.empty() ? (why.empty() ? "its answer is no JSON object" : why) : "";
  if (json.empty()) return false;
  answer_ = json;
  changed_ = clock_seconds();
  if (started_ == 0) started_ = changed_;
  const auto newest = json.find("newest");
  if (newest == json.end() || !newest->is_object()) return false;
  const std::string text = json_text(*newest);
  if (text == std::exchange(newest_, text)) return false;
  const auto epoch = [](const std::string& record) { return number_in(parse_record(record), "epoch", -1); };
  const bool goes_back = !epochs_.empty() && epoch(epochs_.back()) >= epoch(text);
  for (auto* records : {&metrics_, &epochs_})
    while (goes_back && !records->empty() && epoch(records->back()) >= epoch(text)) records->pop_back();
  nlohmann::json timed = *newest;
  timed["time"] = changed_;
  epochs_.push_back(json_text(timed));
  if (newest->contains("objective")) metrics_.push_back(text);
  bool is_thinner = false;
  for (auto* records : {&metrics_, &epochs_}) {
    if (records->size() <= kRecordsMost) continue;
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < records->size(); ++i)
      if (i % 2 == 0 || i > records->size() / 2) kept.push_back(std::move((*records)[i]));
    *records = std::move(kept);
    is_thinner = true;
  }
  return goes_back || is_thinner;
}

std::size_t RemoteRun::lines(Kind kind) const {
  return kind == Kind::metrics ? metrics_.size() : kind == Kind::epochs ? epochs_.size() : 0;
}

std::vector<std::string> RemoteRun::read(Kind kind, std::span<const std::size_t> numbers) const {
  std::vector<std::string> texts;
  for (const std::size_t number : numbers) texts.push_back((kind == Kind::metrics ? metrics_ : epochs_).at(number));
  return texts;
}

std::string RemoteRun::place_of(Kind, std::size_t number) const {
  return "record " + std::to_string(number + 1);
}

Json RemoteRun::brief() const {
  const nlohmann::json none = nlohmann::json::object();
  const nlohmann::json& answer = answer_.is_object() ? answer_ : none;
  const std::string phase = text_in(answer, "phase"), missing = text_in(answer, "missing");
  Json json;
  json["name"] = name_;
  json["app"] = text_in(answer, "app");
  json["state"] = silent_.empty() ? "running" : "stale";
  json["state_text"] = !silent_.empty()
                           ? "the coordinator at " + visible_text(address_) + " does not answer: " + silent_
                           : "running, phase " + phase + (missing.empty() ? "" : "; missing: " + missing);
  json["phase"] = phase;
  json["missing"] = missing.empty() ? Json::array() : Json::array({missing});
  if (const auto newest = answer.find("newest"); newest != answer.end() && newest->is_object())
    for (const char* name : {"epoch", "epochs", "seconds", "objective", "per_item", "valid", "workers"})
      if (newest->contains(name)) json[name] = (*newest)[name];
  json["checkpoint"] = nullptr;
  json["hosts"] = Json::array();
  json["started"] = started_ > 0 ? Json(started_) : Json();
  json["changed"] = changed_ > 0 ? Json(changed_) : Json();
  json["now"] = clock_seconds();
  return json;
}

Json RemoteRun::facts() const {
  Json options = Json::object();
  // As the coordinator writes them, they may be {"hex": ...}.
  if (answer_.is_object() && answer_.contains("flags") && answer_["flags"].is_object())
    for (const auto& [name, value] : answer_["flags"].items())
      options[name] = visible_text(exact_text_of(value).value_or(""));
  const std::string version = answer_.is_object() ? visible_text(text_in(answer_, "version")) : "";
  return {{"folder", nullptr},
          {"options", options},
          {"result", nullptr},
          {"version", version.empty() ? Json() : Json(version)}};
}

std::vector<std::string> RemoteRun::problems() const {
  return {"only the coordinator is asked: epochs are known since " + std::to_string(epochs_.size()) +
          " answers, and there are no events; `rota web DIR` shows all of a run's folder"};
}

}  // namespace rota
