// cli/remote/frames.h -- messages between `rota` and its agents on other machines (cli/remote/agent.h) over ssh: JSON
// objects, each after its length in four bytes, big-endian.
//
// An agent first sends a line that identifies it: a login shell may have printed anything before it.
#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace rota {

inline constexpr std::size_t kFrameBytesMost = std::size_t{4} << 20;
inline constexpr std::size_t kNoiseBytesMost = std::size_t{256} << 10;  // before an agent's greeting

// ExitCode::usage if it is too large.
Result<std::string> frame_of(const nlohmann::json& message);

// The first line of an agent.
std::string greeting();

// Takes a stream of bytes apart.
class FrameReader {
 public:
  // With a greeting to come before the first frame, or none.
  enum class Begins { greeted, at_once };
  explicit FrameReader(Begins begins) : greeted_(begins == Begins::at_once) {}

  void take(std::string_view bytes) { unread_ += bytes; }
  // The next message; nothing if it is not there as a whole.  What is no frame or no JSON object, and noise without an
  // end, is ExitCode::bad_data; a greeting of another version of Rota is wrong_version.
  Result<std::optional<nlohmann::json>> next();
  bool greeted() const { return greeted_; }

 private:
  Status look_for_greeting();

  std::string unread_;
  bool greeted_;
};

}  // namespace rota
