// rota role APP --input=PATH --out=DIR: the same command line in every process that a launcher starts; each is the
// process of the job that its rank says.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/launcher/network.h"
#include "cli/launcher/progress.h"
#include "cli/launcher/run_place.h"
#include "cli/processes/child.h"
#include "core/base/clock.h"
#include "core/job/framework_options.h"
#include "core/job/job_options.h"
#include "core/job/plugin_host.h"
#include "core/wire/address.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr Option kRankOptions[] = {
    {.name = "rank",
     .kind = Option::Kind::integer,
     .meaning = "Number of this process, from 0; if not given, what the launcher says: Open MPI, PMIx, PMI, Slurm, or "
                "the index of a Kubernetes job.",
     .least = 0,
     .most = 30'000},
    {.name = "ranks",
     .kind = Option::Kind::integer,
     .meaning = "Number of processes; if not given, what the launcher says.  Without --workers, all that are left are "
                "workers.",
     .least = 1,
     .most = 30'001},
    {.name = "role",
     .kind = Option::Kind::choice,
     .unit = "coordinator|scheduler|kvstore|worker",
     .meaning = "The role, where the launcher starts each by a command line of its own: the rank then counts the "
                "processes of this role."},
};

std::vector<Option> role_flags() {
  std::vector<Option> all = listed(train_options());
  all.insert(all.end(), network_options().begin(), network_options().end());
  all.push_back(kOwnDiskOption);
  all.insert(all.end(), std::begin(kRankOptions), std::end(kRankOptions));
  return all;
}

// The first whose rank is set counts: mpirun within an allocation of Slurm sets both, and starts the processes.
struct Launcher {
  const char* name;
  const char* rank;
  const char* ranks;  // or null
};
constexpr Launcher kLaunchers[] = {{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                   {"PMI", "PMI_RANK", "PMI_SIZE"},
                                   {"Slurm", "SLURM_PROCID", "SLURM_NTASKS"},
                                   {"PMIx", "PMIX_RANK", nullptr},
                                   {"Kubernetes", "JOB_COMPLETION_INDEX", nullptr}};

std::optional<std::int64_t> number_in_environment(const char* name) {
  const char* const text = name == nullptr ? nullptr : std::getenv(name);
  if (text == nullptr) return std::nullopt;
  std::int64_t number = -1;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  return error == std::errc{} && stop == end && number >= 0 ? std::optional(number) : std::nullopt;
}

struct Place {
  std::int64_t rank = 0;
  std::optional<std::int64_t> ranks;
};

Result<Place> place_of(const Options& options) {
  Place place;
  const auto launcher = std::ranges::find_if(kLaunchers, [](const Launcher& one) { return std::getenv(one.rank); });
  const bool found = launcher != std::end(kLaunchers);
  if (options.has("rank")) {
    place.rank = options.integer("rank");
  } else if (const auto rank = number_in_environment(found ? launcher->rank : nullptr)) {
    place.rank = *rank;
  } else if (options.text("role") != "coordinator") {
    std::string names;
    for (const Launcher& one : kLaunchers) names += std::string(names.empty() ? "" : ", ") + one.rank;
    return Status(ExitCode::usage, "which rank? No launcher has set one (" + names + "); give --rank=N");
  }
  if (options.has("ranks"))
    place.ranks = options.integer("ranks");
  else if (found)
    place.ranks = number_in_environment(launcher->ranks);
  return place;
}

// The process of a rank: the coordinator is the first, and the workers are the last.
struct RoleOfRank {
  std::string role;
  std::int64_t index = 0;
};
Result<RoleOfRank> role_of(std::int64_t rank, const Options& options, std::int64_t workers) {
  std::int64_t index = rank;
  if (options.has("role")) return RoleOfRank{std::string(options.text("role")), rank};
  for (const auto& [role, count] : {std::pair{"coordinator", std::int64_t{1}},
                                    {"scheduler", options.integer("schedulers")},
                                    {"kvstore", options.integer("stores")},
                                    {"worker", workers}}) {
    if (index < count) return RoleOfRank{role, index};
    index -= count;
  }
  return Status(ExitCode::usage, "rank " + std::to_string(rank) + " is beyond the job's processes: a coordinator, " +
                                     counted(options.integer("schedulers"), "schedulers") + ", " +
                                     counted(options.integer("stores"), "stores") + ", " + counted(workers, "workers"));
}

Result<std::int64_t> workers_of(const Options& options, bool given, const Place& place) {
  if (given || !place.ranks) return options.integer("workers");
  const std::int64_t left = *place.ranks - 1 - options.integer("schedulers") - options.integer("stores");
  if (left >= 1) return left;
  return Status(ExitCode::usage, std::to_string(*place.ranks) +
                                     " processes leave none for a worker: a job has a coordinator, its schedulers and "
                                     "stores, and a worker");
}

// The job's coordinator, with all that `rota train` does before and after.
Status lead(const CommandLine& line, const std::string& app, std::int64_t workers) {
  std::vector<std::string> words{"train", app, "--coordinator_only", "--workers=" + std::to_string(workers)};
  if (!line.options.has("coordinator")) words.push_back("--coordinator=" + TcpAddress{own_number(), 0}.text());
  for (const auto& [name, value] : line.given)
    if (name != "rank" && name != "ranks" && name != "role" && name != "workers" && name != "own_disk")
      words.push_back("--" + name + "=" + value);
  words.insert(words.end(), line.log_flags.begin(), line.log_flags.end());
  const std::vector<const char*> argv = argv_of(words);
  return train_command(static_cast<int>(argv.size()), argv.data());
}

// The run, once its coordinator answers; null if it has ended already.  An address in the run's folder may be that of
// an earlier coordinator, until the new one has written its own.
struct Found {
  std::string address;
  fs::path keys;
  RunPlace place;
};
Result<std::optional<Found>> find_run(const Options& options) {
  const RunFolder here{options.text("out")};
  const std::string given(options.text("coordinator"));
  const bool fixed = !given.empty() && tcp_address(given).ok() && tcp_address(given)->port != 0;
  const double seconds = options.real("start_timeout_seconds");
  const Nanoseconds until = now_ns() + static_cast<Nanoseconds>(seconds * static_cast<double>(kSecond));
  Status last(ExitCode::temporary, here.address().string() + " is not there");
  do {
    std::error_code ignored;
    if (fs::exists(here.result(), ignored)) return std::optional<Found>();
    const auto address = fixed ? std::optional(given) : here.read_address();
    if (!address) {
      ::usleep(100'000);
      continue;
    }
    const fs::path keys = keys_for(fs::path(options.text("keys")), here);
    auto place = ask_place(*address, 1000, options.flag("insecure") ? fs::path() : keys, false);
    if (place.ok()) return std::optional(Found{*address, keys, *std::move(place)});
    last = place.status();
    ::usleep(100'000);
  } while (now_ns() < until);
  return Status(ExitCode::temporary, "no coordinator of the run in " + here.path.string() + " answered within " +
                                         std::string(options.text("start_timeout_seconds")) + " s: " + last.what());
}

Status follow(const CommandLine& line, const RoleOfRank& role) {
  const Options& options = line.options;
  ROTA_ASSIGN(auto answered, find_run(options));
  if (!answered) return {};  // `--continue` of a finished run
  Found& found = *answered;
  if (options.has("own_disk"))
    ROTA_TRY(move_to(fs::path(options.text("own_disk")), found.place));
  else
    found.place.run = RunFolder{options.text("out")};
  Child::Settings settings = settings_of(
      {role.role, role.index, found.place.run.flags(), found.address, line.log_flags, false, ""}, found.place.run);
  if (options.has("own_disk")) settings.arguments.push_back("--out=" + found.place.run.path.string());
  for (const std::string name : {"host", "bind", "own_disk", "input"})
    if (line.given.contains(name)) settings.arguments.push_back("--" + name + "=" + std::string(options.text(name)));
  if (!found.keys.empty() && !options.flag("insecure")) settings.arguments.push_back("--keys=" + found.keys.string());
  // It takes this process's place, so that the launcher's signals reach it, and its exit code the launcher.
  std::vector<char*> argv{settings.name.data()};
  for (std::string& argument : settings.arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(settings.program.c_str(), argv.data());
  return {ExitCode::failed, settings.program.string() + ": " + std::strerror(errno)};
}

}  // namespace

Status role_command(int argc, const char* const* argv) {
  ROTA_ASSIGN(auto parsed, parse_with_plugin(argc, argv, role_flags(), AppFrom::positional));
  const CommandLine& line = parsed.line;
  if (line.wish == CommandLine::Wish::help)
    return print_help({"rota role APP --input=PATH --out=DIR [flags]",
                       "Runs one process of a job, for launchers that start the same command line many times: mpirun, "
                       "srun,\nindexed jobs.  The rank decides which: 0 is the coordinator, then come schedulers, "
                       "stores and workers.\nThe other flags are those of `rota train APP`.",
                       {{"", listed(kRankOptions)}, {"", {kOwnDiskOption}}}},
                      line),
           Status();
  for (const char* needed : {"input", "out"})
    if (!line.options.has(needed)) return {ExitCode::usage, "--" + std::string(needed) + " is missing"};
  if (line.options.has("hosts")) return {ExitCode::usage, "--hosts: the launcher decides where processes run"};
  ROTA_ASSIGN(const Place place, place_of(line.options));
  ROTA_ASSIGN(const std::int64_t workers, workers_of(line.options, line.given.contains("workers"), place));
  ROTA_ASSIGN(const RoleOfRank role, role_of(place.rank, line.options, workers));
  if (role.role == "coordinator") return lead(line, line.positional.front(), workers);
  return follow(line, role);
}

}  // namespace rota
