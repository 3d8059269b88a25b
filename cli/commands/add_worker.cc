// rota add-worker DIR|ADDRESS: runs one more worker of an active run, or a spare, until it ends or is asked to leave.
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/folders/private_folder.h"
#include "cli/launcher/network.h"
#include "cli/processes/child.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/trust.h"
#include "core/job/framework_options.h"
#include "core/job/run_folder.h"
#include "core/runtime/observe.h"
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

struct Assignment {
  RunFolder run;
  std::uint32_t number = 0;
  std::map<std::string, std::string, std::less<>> flags;
};

// From the coordinator: where the run is, and the number that it assigns to the new worker.
Result<Assignment> assigned_place(const std::string& address, const fs::path& keys) {
  ROTA_ASSIGN(auto answer, ask_status(address, kNumberMs, keys, true));
  const auto json = nlohmann::json::parse(answer, nullptr, false);
  if (!json.is_object() || !json.contains("next_worker"))
    return Status(ExitCode::wrong_version, address + ": the coordinator assigns no worker number");
  const auto out = exact_text_of(json.value("out", nlohmann::json()));
  Assignment place{{out.value_or("")}, static_cast<std::uint32_t>(number_in(json, "next_worker")), {}};
  const auto flags = json.find("flags");
  if (flags == json.end() || !flags->is_object()) return place;
  for (const auto& [name, value] : flags->items())
    if (auto text = exact_text_of(value)) place.flags[name] = *std::move(text);
  return place;
}

// A folder of this machine's own takes the place of the run's.
Status move_to(const fs::path& folder, Assignment& place) {
  if (place.flags.empty()) return {ExitCode::wrong_version, "the coordinator does not send the flags of the run"};
  ROTA_TRY(make_closed_folder(folder));
  place.run = {folder};
  std::error_code error;
  if (!fs::exists(place.run.flags(), error)) {
    if (!fs::is_empty(folder, error) || error)
      return {ExitCode::cannot_write, folder.string() + ": it contains files that are not of this run"};
    return write_flagfile(place.run.flags(), place.flags);
  }
  const std::string flags = flagfile_text(place.flags);
  const auto before = read_whole_file(place.run.flags(), flags.size() + 1);
  if (!before.ok() || *before != flags) return {ExitCode::cannot_write, folder.string() + ": it is of another run"};
  return {};
}

// Until it ends; signals are passed on.
Status run_worker(const std::string& address, const Assignment& place, const CommandLine& line, const fs::path& keys) {
  Signals signals;
  Child::Settings settings = settings_of({"worker", place.number, place.run.flags(), address, line.log_flags, false,
                                          line.options.flag("spare") ? "spare" : "new"},
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
  ROTA_ASSIGN(auto place, assigned_place(*address, keys));
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
