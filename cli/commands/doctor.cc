// rota doctor [DIR] [--hosts|--slurm]: whether this machine, and others, can run a job.
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/launcher/checkup.h"
#include "cli/launcher/network.h"
#include "cli/launcher/remote_checkup.h"
#include "core/job/framework_options.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr Option kDoctorOptions[] = {
    {.name = "hosts", .meaning = "Other machines to examine too, as --hosts of `rota train` names them."},
    {.name = "ssh", .default_value = "ssh", .meaning = "The program that is run as ssh."},
    {.name = "remote_rota", .meaning = "The path of `rota` on those machines; if not given, that of this one here."},
    {.name = "slurm",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "Examine the nodes of the Slurm job that this command is part of."},
    kKeysOption,
    {.name = "from"},  // internal: the port of the examining machine
};

Status doctor(const CommandLine& line) {
  const std::string folder =
      line.positional.empty() ? "" : fs::absolute(line.positional.front()).lexically_normal().native();
  CheckupReport report;
  const std::string from(line.options.text("from"));
  if (!from.empty()) ROTA_TRY(answer_checkup(from, report));
  for (const Finding& finding : examine({folder, fs::path(line.options.text("keys"))})) report.add("", finding);
  if (!line.options.has("hosts") && !line.options.flag("slurm")) return report.end();
  ROTA_ASSIGN(const auto network, machines_of(line));
  for (std::size_t i = 0; i < network.machines.size(); ++i)
    if (const Status done = examine_machine(network, i, folder, report); !done.ok())
      report.add(network.machines[i].name, {Finding::Kind::failure, done.what(), "", done.code()});
  return report.end();
}

}  // namespace

Status doctor_command(int argc, const char* const* argv) {
  ROTA_ASSIGN(const auto line, parse_flags(argc, argv, {{}, kDoctorOptions, {}, false}));
  if (line.wish == CommandLine::Wish::help)
    return print_help({"rota doctor [DIR] [flags]",
                       "Examines whether this machine, and those of --hosts or --slurm, can run a job whose folder is "
                       "DIR.\nEach line says what to do; the exit code is that with which a run would end.",
                       {{"", listed(kDoctorOptions)}}},
                      line),
           Status();
  if (line.positional.size() > 1) return {ExitCode::usage, "unexpected argument '" + line.positional[1] + "'"};
  return doctor(line);
}

}  // namespace rota
