#include "core/runtime/member.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "core/base/help.h"
#include "core/base/log.h"
#include "core/base/process_limits.h"
#include "core/base/version.h"
#include "core/job/job_options.h"
#include "core/job/plugin_host.h"
#include "rota/utf8.h"

namespace rota {

Status Member::make_app() {
  ROTA_ASSIGN(config.initial, initial(*plugin, config.options));
  ROTA_ASSIGN(app, host_app(*plugin, config));
  return {};
}

Status open_log(const CommandLine& line, const JobConfig& config, NodeId process) {
  const std::string name = process.name();
  if (config.coordinator.empty())
    return {ExitCode::usage, name + ": --coordinator is missing: where is the coordinator?"};
  if (config.run.path.empty()) return {ExitCode::usage, name + ": --out is missing: which folder is the run's?"};
  ROTA_TRY(check_descriptors(descriptors_needed(line.options)));
  const bool elsewhere = line.options.has("log_dir");
  return init_log(name, elsewhere ? std::filesystem::path(line.options.text("log_dir")) : config.run.log());
}

int end_process(NodeId process, const Ending& ending) {
  const std::string line = "event=end role=" + process.name() +
                           " exit=" + std::to_string(static_cast<int>(ending.code)) + " what=" + log_value(ending.what);
  // A requested stop is no failure.
  const bool asked = ending.code == ExitCode::interrupted || ending.code == ExitCode::terminated;
  ending.code == ExitCode::ok || asked ? log_info(line) : log_error(line);
  return static_cast<int>(ending.code);
}

int say_and_exit(const std::string& program, const Result<CommandLine>& line) {
  if (!line.ok()) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), visible_text(line.status().what()).c_str());
    return static_cast<int>(line.status().code());
  }
  if (line->wish == CommandLine::Wish::version) {
    std::printf("%s %s\n", program.c_str(), kVersion);
  } else {
    const Help help{program + " --flagfile=RUN/flags.txt --coordinator=ADDRESS [--index=N]",
                    "A process of a job.  `rota train` starts it.",
                    {{"This process:", listed(role_options())}, {"The job:", listed(job_options())}}};
    std::fputs(help_text(help, line->form).c_str(), stdout);
  }
  return 0;
}

int member_main(int argc, const char* const* argv, Role role, OpenInitial initial, const MakeNodes& make) {
  const std::string program = std::string("rota-") + role_name(role);
  if (const Status begun = begin_process(); !begun.ok()) return say_and_exit(program, begun);
  auto parsed = parse_with_plugin(argc, argv, role_options());
  if (!parsed.ok()) return say_and_exit(program, parsed.status());
  if (parsed->line.wish != CommandLine::Wish::run) return say_and_exit(program, parsed->line);
  const CommandLine& line = parsed->line;
  auto config = job_config(line, true, parsed->plugin);
  // A scheduler or a store may be where the data is not, or cannot be reached: most of them do not look at it.
  constexpr ExitCode kOutOfReach[] = {ExitCode::no_input, ExitCode::temporary, ExitCode::not_authorised};
  if (role != Role::worker && std::ranges::find(kOutOfReach, config.status().code()) != std::end(kOutOfReach))
    config = job_config(line, false, parsed->plugin);
  if (!config.ok()) return say_and_exit(program, config.status());
  const NodeId process{role, config->index};
  const Status log = open_log(line, *config, process);
  if (!log.ok()) return say_and_exit(program, log);

  const Status trace = open_hook_trace(config->run.hook_trace(process.name()), process.name());
  if (!trace.ok()) log_warning("event=disk what=" + log_value(trace.what()));

  Member member{*std::move(config), parsed->plugin, initial, nullptr};
  const auto factory = [&](const Welcome& welcome, Host::Nodes before) {
    return make(member, welcome, std::move(before));
  };
  const int code = end_process(process, run_member(role, member.config, file_hash_of(*parsed->plugin), factory));
  remove_hook_trace();
  return code;
}

}  // namespace rota
