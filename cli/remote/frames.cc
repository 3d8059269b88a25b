#include "cli/remote/frames.h"

#include <algorithm>

#include "core/base/json_text.h"
#include "core/base/version.h"
#include "rota/utf8.h"

namespace rota {

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

}  // namespace rota
