// cli/remote/agent_messages.h -- messages between `rota` and its agents on other machines (cli/remote/agent.h) over
// ssh: JSON objects, one a line.  An agent first sends a line that identifies it: a login shell may have printed
// anything before it.
#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cli/processes/child.h"
#include "core/base/status.h"
#include "core/job/run_folder.h"

namespace rota {

inline constexpr std::size_t kMessageBytesMost = std::size_t{4} << 20;
inline constexpr std::size_t kNoiseBytesMost = std::size_t{256} << 10;  // before an agent's greeting

// The line of a message.  ExitCode::usage if it is too large.
Result<std::string> line_of(const nlohmann::json& message);
// The first line of an agent.
std::string greeting();

// Takes a stream of bytes apart.
class MessageReader {
 public:
  // With a greeting to come before the first message, or none.
  enum class Begins { greeted, at_once };
  explicit MessageReader(Begins begins) : greeted_(begins == Begins::at_once) {}

  void take(std::string_view bytes) { unread_ += bytes; }
  // The next message; nothing if it is not there as a whole.  What is too long or no JSON object, and noise without an
  // end, is ExitCode::bad_data; a greeting of another version of Rota is wrong_version.
  Result<std::optional<nlohmann::json>> next();
  bool greeted() const { return greeted_; }

 private:
  std::string unread_;
  bool greeted_;
};

// How an agent sees whether its machine has the folder of the run, on a shared file system, or only one of the same
// name: by what the launcher has just written into it, "RUN LAUNCH".  RUN is a number of the run, also when it is
// resumed; LAUNCH is new each time, so that a folder that was copied to the machine before is not this one.
bool is_place(std::string_view text);
// RUN of a place.
std::string run_of(std::string_view place);
// Writes a new one into the folder, of the run that the one before names.
Result<std::string> mark_place(const RunFolder& run);
bool is_marked(const RunFolder& run, std::string_view place);

// What an agent needs to start a process of a job.
struct RoleStart {
  RoleProcess process;                      // no coordinator, and with the launcher's flags.txt
  std::filesystem::path run;                // --out
  std::string flags;                        // the text of the job's flags.txt
  std::map<std::string, std::string> keys;  // files of the folder of keys that this role reads; none: no keys
  std::string place;                        // of `run`, as the launcher has marked it
};

// The files of a folder of keys that a process of the role needs: its own secret, no other, and what is public.
Result<std::map<std::string, std::string>> keys_of(const std::string& role, const std::filesystem::path& folder);

// As a part of a message.  ExitCode::bad_data if a launcher could not have sent it.
nlohmann::json json_of(const RoleStart& start);
Result<RoleStart> role_start_of(const nlohmann::json& message);

}  // namespace rota
