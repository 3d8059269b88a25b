// rota add-worker DIR|ADDRESS: runs one more worker of an active run, or a spare, until it ends or is asked to leave.
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>

#include "cli/commands/commands.h"
#include "cli/launcher/network.h"
#include "cli/launcher/run_place.h"
#include "cli/processes/child.h"
#include "core/base/files.h"
#include "core/base/trust.h"
#include "core/job/framework_options.h"
#include "core/job/run_folder.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr int kNumberMs = 5000;
constexpr Nanoseconds kWorkerPollSpan = 200 * kMillisecond;
constexpr std::size_t kLogEndLines = 10;

constexpr Option kAddWorkerOptions[] = {
    {.name = "spare",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "Wait as a standby worker, to replace a lost one."},
    kHostOption,
    kBindOption,
    kKeysOption,
    kOwnDiskOption,
    {.name = "input",
     .kind = Option::Kind::path,
     .meaning = "Where the data is on this machine; if not given, where the run has it."},
};

// Until it ends; signals are passed on.
Status run_worker(const std::string& address, const RunPlace& place, const CommandLine& line, const fs::path& keys) {
  Signals signals;
  Child::Settings settings = settings_of({"worker", place.next_worker, place.run.flags(), address, line.log_flags,
                                          false, line.options.flag("spare") ? "spare" : "new"},
                                         place.run);
  if (line.options.has("own_disk")) settings.arguments.push_back("--out=" + place.run.path.string());
  for (const std::string name : {"host", "bind", "own_disk", "input"})
    if (line.options.has(name)) settings.arguments.push_back("--" + name + "=" + std::string(line.options.text(name)));
  if (!keys.empty()) settings.arguments.push_back("--keys=" + keys.string());
  ROTA_ASSIGN(auto child, Child::start(settings));
  std::fprintf(stderr, "rota: %s joins %s\n", settings.name.c_str(), visible_text(place.run.path.native()).c_str());
  while (!child->ended()) {
    signals.wait(kWorkerPollSpan);
    while (const int number = signals.take())
      if (number != SIGCHLD) child->signal(SIGTERM);
  }
  if (!child->killed() && child->exit_code() == 0) return {};
  // Asked to leave, it has handed over its shards.
  if (child->exit_code() == static_cast<int>(ExitCode::terminated))
    return {ExitCode::terminated, settings.name + " has left"};
  const std::string log = last_lines(settings.log, kLogEndLines);
  return {child->killed() ? ExitCode::temporary : static_cast<ExitCode>(child->exit_code()),
          settings.name + " ended with " + child->how() + (log.empty() ? "" : ":\n" + log)};
}

Status add_worker(const CommandLine& line) {
  const std::string& what = line.positional.front();
  const bool is_folder = what.find("://") == what.npos;
  const RunFolder here{is_folder ? fs::absolute(what).lexically_normal() : fs::path()};
  const auto address = is_folder ? here.read_address() : std::optional(what);
  if (!address) return {ExitCode::no_input, "no active run in " + what};
  const fs::path given(line.options.text("keys"));
  const fs::path keys = !address->starts_with("tcp://") ? fs::path() : is_folder ? keys_for(given, here) : given;
  ROTA_ASSIGN(auto place, ask_place(*address, kNumberMs, keys, true));
  if (is_folder) place.run = here;
  if (line.options.has("own_disk")) ROTA_TRY(move_to(fs::path(line.options.text("own_disk")), place));
  std::error_code error;
  if (!fs::exists(place.run.flags(), error))
    return {ExitCode::no_input, place.run.path.string() +
                                    ": the run's folder is not on this machine; --own_disk=DIR names one for what its "
                                    "workers keep"};
  for (const fs::path& path : {place.run.path, place.run.flags()})
    ROTA_TRY(check_own(path).in("only your own runs can have your workers"));
  ROTA_TRY(make_folder(place.run.log()));
  return run_worker(*address, place, line, keys);
}

}  // namespace

Status add_worker_command(int argc, const char* const* argv) {
  return run_command(argc, argv,
                     {"add-worker DIR|ADDRESS [flags]", "Adds a worker to an active run.",
                      "which run? rota add-worker DIR, or the coordinator's address", kAddWorkerOptions},
                     add_worker);
}

}  // namespace rota
