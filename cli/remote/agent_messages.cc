#include "cli/remote/agent_messages.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/start_number.h"
#include "core/base/version.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kGreets = "rota-agent speaks ";
constexpr std::string_view kProtocol = "2 of ";
constexpr std::size_t kShownMost = 200;

std::string greeted_line() {
  return std::string(kGreets) + std::string(kProtocol) + kVersion;
}

constexpr std::size_t kDigits = 16;
constexpr std::size_t kPlaceBytesMax = 256;

std::string new_number() {
  char text[kDigits + 1];
  std::snprintf(text, sizeof text, "%016" PRIx64, new_start_number());
  return text;
}

bool is_number(std::string_view text) {
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// "" if the folder has none.
std::string read_place(const RunFolder& run) {
  auto text = read_whole_file(run.place(), kPlaceBytesMax);
  if (!text.ok()) return "";
  if (text->ends_with('\n')) text->pop_back();
  return is_place(*text) ? *text : "";
}

constexpr std::array<std::string_view, 3> kRoles = {"scheduler", "worker", "kvstore"};
constexpr double kIndexMost = 1e6;
constexpr std::size_t kKeyBytesMax = 4096;

// Whether the JSON is a text without a zero byte, which no path and no argument has: then it is in `to`.
bool take(const nlohmann::json& json, std::string& to) {
  auto text = exact_text_of(json);
  if (!text || text->find('\0') != text->npos) return false;
  to = *std::move(text);
  return true;
}

bool is_key_for(const std::string& role, const std::string& file) {
  return RunFolder::is_of_keys(file) && (file == role + ".secret" || file.ends_with(".public"));
}

Status refused(const std::string& what) {
  return {ExitCode::bad_data, "a start without a good " + what};
}

}  // namespace

Result<std::string> line_of(const nlohmann::json& message) {
  std::string line = json_text(message) + "\n";
  if (line.size() > kMessageBytesMost)
    return Status(ExitCode::usage, "a message of " + std::to_string(line.size()) + " bytes is too large for an agent");
  return line;
}

std::string greeting() {
  return "\n" + greeted_line() + "\n";
}

Result<std::optional<nlohmann::json>> MessageReader::next() {
  for (std::size_t at = 0;;) {
    const auto end = unread_.find('\n', at);
    if (std::min(end, unread_.size()) > (greeted_ ? kMessageBytesMost : kNoiseBytesMost))
      return Status(ExitCode::bad_data,
                    greeted_ ? "a message that is too long" : "it prints without end and is no agent");
    if (end == unread_.npos) return std::optional<nlohmann::json>();
    const std::string line = unread_.substr(at, end - at);
    at = end + 1;
    if (!greeted_ && !line.starts_with(kGreets)) continue;
    unread_.erase(0, std::exchange(at, 0));
    if (greeted_) {
      auto message = nlohmann::json::parse(line, nullptr, false);
      if (!message.is_object()) return Status(ExitCode::bad_data, "a line that is no JSON object");
      return std::optional(std::move(message));
    }
    if (const std::string wanted = greeted_line(); line != wanted)
      return Status(ExitCode::wrong_version, "its `rota` is of another version: '" +
                                                 visible_text(std::string_view(line).substr(0, kShownMost)) +
                                                 "', and not '" + wanted + "'");
    greeted_ = true;
  }
}

bool is_place(std::string_view text) {
  return text.size() == 2 * kDigits + 1 && is_number(text.substr(0, kDigits)) && text[kDigits] == ' ' &&
         is_number(text.substr(kDigits + 1));
}

std::string run_of(std::string_view place) {
  return std::string(place.substr(0, kDigits));
}

Result<std::string> mark_place(const RunFolder& run) {
  const std::string before = read_place(run);
  const std::string place = (before.empty() ? new_number() : run_of(before)) + " " + new_number();
  ROTA_TRY(write_atomically(run.place(), place + "\n"));
  return place;
}

bool is_marked(const RunFolder& run, std::string_view place) {
  return !place.empty() && read_place(run) == place;
}

Result<std::map<std::string, std::string>> keys_of(const std::string& role, const fs::path& folder) {
  std::map<std::string, std::string> keys;
  if (folder.empty()) return keys;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string file = at->path().filename().string();
    if (!is_key_for(role, file)) continue;
    ROTA_ASSIGN(keys[file], read_whole_file(at->path(), kKeyBytesMax));
  }
  if (error) return Status(ExitCode::no_input, folder.string() + ": " + error.message());
  return keys;
}

nlohmann::json json_of(const RoleStart& start) {
  nlohmann::json message = {{"role", start.process.role},
                            {"index", start.process.index},
                            {"resume", start.process.resume},
                            {"joins", start.process.joins},
                            {"coordinator", start.process.coordinator},
                            {"run", exact_text(start.run.native())},
                            {"flags", exact_text(start.flags)},
                            {"place", start.place},
                            {"keys", start.keys},
                            {"log_flags", nlohmann::json::array()}};
  for (const std::string& flag : start.process.log_flags)
    message["log_flags"].push_back(nlohmann::json(exact_text(flag)));
  return message;
}

Result<RoleStart> role_start_of(const nlohmann::json& message) {
  RoleStart start;
  RoleProcess& process = start.process;
  const auto field = [&](const char* name) { return message.contains(name) ? message[name] : nlohmann::json(); };
  process.role = text_in(message, "role");
  if (std::ranges::find(kRoles, process.role) == kRoles.end()) return refused("role");
  const double index = number_in(message, "index", -1);
  if (!(index >= 0 && index <= kIndexMost)) return refused("index");
  process.index = static_cast<std::int64_t>(index);
  if (!field("resume").is_boolean()) return refused("resume");
  process.resume = field("resume").get<bool>();
  if (!take(field("joins"), process.joins) || (process.joins != "" && process.joins != "spare"))
    return refused("joins");
  if (!take(field("coordinator"), process.coordinator) || process.coordinator.empty()) return refused("coordinator");
  std::string run;
  if (!take(field("run"), run) || !fs::path(run).is_absolute()) return refused("run");
  start.run = run;
  if (!take(field("flags"), start.flags)) return refused("flags");
  if (!take(field("place"), start.place) || !is_place(start.place)) return refused("place");
  const nlohmann::json keys = field("keys"), log_flags = field("log_flags");
  if (!keys.is_object()) return refused("keys");
  for (const auto& [file, text] : keys.items()) {
    if (!is_key_for(process.role, file) || !text.is_string()) return refused("keys");
    start.keys[file] = text.get<std::string>();
  }
  if (!log_flags.is_array()) return refused("log_flags");
  for (const auto& flag : log_flags)
    if (!take(flag, process.log_flags.emplace_back()) || !process.log_flags.back().starts_with("--"))
      return refused("log_flags");
  return start;
}

}  // namespace rota
