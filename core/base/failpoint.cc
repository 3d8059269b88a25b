#include "core/base/failpoint.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <string>

#include "core/base/files.h"

namespace rota {

bool failpoints_are_armed = false;

namespace {

enum class Action { kill, stop, sleep };

struct Armed {
  std::size_t number = 0;
  std::string what;  // empty: whatever
  std::uint64_t nth = 0;
  Action action = Action::kill;
  std::atomic<std::uint64_t> times{0};
};

std::list<Armed>& armed() {
  static std::list<Armed> all;
  return all;
}

Status wrong(std::string_view spec, const std::string& why) {
  return {ExitCode::usage, "ROTA_FAILPOINTS: '" + std::string(spec) + "': " + why};
}

Status arm(std::string_view spec) {
  const std::size_t first = spec.find(':'), second = spec.find(':', first == spec.npos ? first : first + 1);
  if (second == spec.npos) return wrong(spec, "it is not NAME[@WHAT]:NTH:ACTION");
  std::string_view name = spec.substr(0, first);
  const std::string_view times = spec.substr(first + 1, second - first - 1), action = spec.substr(second + 1);
  Armed& one = armed().emplace_back();
  if (const std::size_t at = name.find('@'); at != name.npos) {
    one.what = name.substr(at + 1);
    name = name.substr(0, at);
  }
  one.number = Failpoint::number_of(name);
  if (one.number == kFailpoints.size()) return wrong(spec, "there is no failpoint of this name");
  const auto [end, error] = std::from_chars(times.data(), times.data() + times.size(), one.nth);
  if (error != std::errc() || end != times.data() + times.size() || one.nth == 0)
    return wrong(spec, "'" + std::string(times) + "' is no number from 1");
  if (action != "kill" && action != "stop" && action != "sleep")
    return wrong(spec, "'" + std::string(action) + "' is not kill, stop or sleep");
  one.action = action == "kill" ? Action::kill : action == "stop" ? Action::stop : Action::sleep;
  return {};
}

// Whether this process is the first to get here.
bool is_first(std::size_t number) {
  const char* folder = std::getenv("ROTA_FAILPOINTS_ONCE");
  if (folder == nullptr) return true;
  const std::string file = std::string(folder) + "/" + std::string(kFailpoints[number]);
  return FileDescriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)).open();
}

}  // namespace

Status arm_failpoints() {
  failpoints_are_armed = false;
  armed().clear();
  const char* wanted = std::getenv("ROTA_FAILPOINTS");
  if (wanted == nullptr) return {};
  for (std::string_view rest = wanted; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    ROTA_TRY(arm(rest.substr(0, comma)));
    rest = comma == rest.npos ? "" : rest.substr(comma + 1);
  }
  failpoints_are_armed = !armed().empty();
  return {};
}

void reach_failpoint(std::size_t number, std::string_view what) {
  for (Armed& one : armed()) {
    if (one.number != number || (!one.what.empty() && one.what != what)) continue;
    if (++one.times != one.nth || !is_first(number)) continue;
    if (one.action == Action::sleep) {
      ::sleep(2);
    } else {
      ::kill(::getpid(), one.action == Action::kill ? SIGKILL : SIGSTOP);
    }
  }
}

}  // namespace rota
