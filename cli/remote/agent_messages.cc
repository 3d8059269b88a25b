#include "cli/remote/agent_messages.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>

#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/start_number.h"
#include "core/base/version.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kGreets = "rota-agent speaks ";
constexpr std::string_view kProtocol = "1 of ";
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kShownMost = 200;

std::string greeted_line() {
  return std::string(kGreets) + std::string(kProtocol) + kVersion;
}

}  // namespace

Result<std::string> frame_of(const nlohmann::json& message) {
  const std::string text = json_text(message);
  if (text.size() > kFrameBytesMost)
    return Status(ExitCode::usage, "a message of " + std::to_string(text.size()) + " bytes is too large for an agent");
  std::string frame;
  for (std::size_t i = kLengthBytes; i-- > 0;) frame += static_cast<char>((text.size() >> (8 * i)) & 0xff);
  return frame + text;
}

std::string greeting() {
  return "\n" + greeted_line() + "\n";
}

Status FrameReader::look_for_greeting() {
  for (std::size_t at = 0; !greeted_;) {
    const auto end = unread_.find('\n', at);
    if (end == unread_.npos) {
      if (unread_.size() > kNoiseBytesMost) return {ExitCode::bad_data, "it prints without end and is no agent"};
      return {};
    }
    const std::string_view line = std::string_view(unread_).substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(kGreets)) continue;
    if (const std::string wanted = greeted_line(); line != wanted)
      return {ExitCode::wrong_version, "its `rota` is of another version: '" +
                                           visible_text(line.substr(0, kShownMost)) + "', and not '" + wanted + "'"};
    greeted_ = true;
    unread_.erase(0, at);
  }
  return {};
}

Result<std::optional<nlohmann::json>> FrameReader::next() {
  if (!greeted_) ROTA_TRY(look_for_greeting());
  if (!greeted_ || unread_.size() < kLengthBytes) return std::optional<nlohmann::json>();
  std::size_t size = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) size = (size << 8) | static_cast<unsigned char>(unread_[i]);
  if (size > kFrameBytesMost) return Status(ExitCode::bad_data, "a frame of " + std::to_string(size) + " bytes");
  if (unread_.size() - kLengthBytes < size) return std::optional<nlohmann::json>();
  auto message = nlohmann::json::parse(std::string_view(unread_).substr(kLengthBytes, size), nullptr, false);
  unread_.erase(0, kLengthBytes + size);
  if (!message.is_object()) return Status(ExitCode::bad_data, "a frame that is no JSON object");
  return std::optional(std::move(message));
}

namespace {

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

Result<Place> read_place(const RunFolder& run) {
  ROTA_ASSIGN(auto text, read_whole_file(run.place(), kPlaceBytesMax));
  if (text.ends_with('\n')) text.pop_back();
  return place_of(text);
}

}  // namespace

std::string text_of(const Place& place) {
  return place.run + " " + place.launch;
}

Result<Place> place_of(std::string_view text) {
  const std::size_t space = std::min(text.find(' '), text.size());
  const std::string_view run = text.substr(0, space), launch = text.substr(std::min(space + 1, text.size()));
  if (!is_number(run) || !is_number(launch)) return Status(ExitCode::bad_data, "no place of a run");
  return Place{std::string(run), std::string(launch)};
}

Result<Place> mark_place(const RunFolder& run) {
  const auto before = read_place(run);
  Place place{before.ok() ? before->run : new_number(), new_number()};
  ROTA_TRY(write_atomically(run.place(), text_of(place) + "\n"));
  return place;
}

bool is_marked(const RunFolder& run, const Place& place) {
  const auto here = read_place(run);
  return here.ok() && *here == place;
}

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
  if (std::ranges::find(kRoles, start.role) == kRoles.end()) return refused("role");
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
