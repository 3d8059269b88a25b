#include "cli/remote/role_start.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/job/run_folder.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 3> kRoles = {"scheduler", "worker", "kvstore"};
constexpr double kIndexMost = 1e6;
constexpr std::size_t kKeyBytesMax = 4096;

// A text without a zero byte, which no path and no argument has.
std::optional<std::string> text_of(const nlohmann::json& message, const char* field) {
  const auto found = message.find(field);
  if (found == message.end()) return std::nullopt;
  auto text = exact_text_of(*found);
  if (text && text->find('\0') != text->npos) return std::nullopt;
  return text;
}

bool is_key_for(const std::string& role, const std::string& file) {
  return RunFolder::is_of_keys(file) && (file == role + ".secret" || file.ends_with(".public"));
}

Status refused(const std::string& what) {
  return {ExitCode::bad_data, "a start without a good " + what};
}

}  // namespace

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
  nlohmann::json message = {{"role", start.role},
                            {"index", start.index},
                            {"resume", start.resume},
                            {"spare", start.spare},
                            {"coordinator", start.coordinator},
                            {"run", exact_text(start.run.native())},
                            {"flags", exact_text(start.flags)},
                            {"place", text_of(start.place)},
                            {"keys", start.keys},
                            {"log_flags", nlohmann::json::array()}};
  for (const std::string& flag : start.log_flags) message["log_flags"].push_back(nlohmann::json(exact_text(flag)));
  return message;
}

Result<RoleStart> role_start_of(const nlohmann::json& message) {
  RoleStart start;
  start.role = text_in(message, "role");
  if (std::find(kRoles.begin(), kRoles.end(), start.role) == kRoles.end()) return refused("role");
  const double index = number_in(message, "index", -1);
  if (!(index >= 0 && index <= kIndexMost)) return refused("index");
  start.index = static_cast<std::int64_t>(index);
  const auto resume = message.find("resume");
  if (resume == message.end() || !resume->is_boolean()) return refused("resume");
  start.resume = resume->get<bool>();
  const auto spare = message.find("spare");
  if (spare == message.end() || !spare->is_boolean()) return refused("spare");
  start.spare = spare->get<bool>();
  const auto coordinator = text_of(message, "coordinator"), run = text_of(message, "run"),
             flags = text_of(message, "flags");
  if (!coordinator || coordinator->empty()) return refused("coordinator");
  start.coordinator = *coordinator;
  if (!run || !fs::path(*run).is_absolute()) return refused("run");
  start.run = *run;
  if (!flags) return refused("flags");
  start.flags = *flags;
  auto place = place_of(text_in(message, "place"));
  if (!place.ok()) return refused("place");
  start.place = *std::move(place);
  const auto keys = message.find("keys");
  if (keys == message.end() || !keys->is_object()) return refused("keys");
  for (const auto& [file, text] : keys->items()) {
    if (!is_key_for(start.role, file) || !text.is_string()) return refused("keys");
    start.keys[file] = text.get<std::string>();
  }
  const auto log_flags = message.find("log_flags");
  if (log_flags == message.end() || !log_flags->is_array()) return refused("log_flags");
  for (const auto& flag : *log_flags) {
    const auto text = exact_text_of(flag);
    if (!text || !text->starts_with("--") || text->find('\0') != text->npos) return refused("log_flags");
    start.log_flags.push_back(*text);
  }
  return start;
}

}  // namespace rota
