#include "core/runtime/member.h"

#include <cstdio>

#include "core/base/log.h"
#include "core/base/process_limits.h"
#include "core/base/version.h"
#include "core/job/ignored_options.h"
#include "core/job/job_options.h"
#include "core/job/plugin_host.h"
#include "rota/utf8.h"

namespace rota {

Status Member::make_app() {
  auto model = initial(*plugin, settings.job.options);
  if (!model.ok()) return model.status();
  settings.job.initial = std::move(model).value();
  auto made = host_app(*plugin, settings.job);
  if (!made.ok()) return made.status();
  app = std::move(made).value();
  return {};
}

ProcessSettings process_settings(const CommandLine& line, const JobSettings& settings, NodeId process) {
  ProcessSettings out;
  out.process = process;
  out.job = settings.hash.low;
  out.coordinator = line.options.text("coordinator");
  out.host = line.options.text("host");
  out.bind = line.options.text("bind");
  out.keys = line.options.text("keys");
  out.insecure = settings.insecure;
  out.message_bytes_max = settings.message_bytes_max;
  out.peer_timeout = settings.peer_timeout;
  out.start_timeout = settings.start_timeout;
  const std::string_view joins = line.options.text("joins");
  out.joins = joins == "new" ? Joins::as_new : joins == "spare" ? Joins::as_spare : Joins::as_named;
  if (settings.on_loss != OnLoss::stop) out.rejoin_timeout = settings.rejoin_timeout;
  return out;
}

Status open_log(const CommandLine& line, const JobSettings& settings, NodeId process) {
  const std::string name = process.name();
  if (line.options.text("coordinator").empty())
    return {ExitCode::usage, name + ": --coordinator is missing: where is the coordinator?"};
  if (settings.run.path.empty()) return {ExitCode::usage, name + ": --out is missing: which folder is the run's?"};
  ROTA_TRY(check_descriptors(descriptors_needed(line.options)));
  const bool elsewhere = line.options.has("log_dir");
  return init_log(name, elsewhere ? std::filesystem::path(line.options.text("log_dir")) : settings.run.log());
}

int end_process(NodeId process, const Ending& ending) {
  const std::string line = "event=end role=" + process.name() +
                           " exit=" + std::to_string(static_cast<int>(ending.code)) + " what=" + log_value(ending.what);
  // Who was asked to stop has not failed.
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
    std::printf(
        "usage: %s --flagfile=RUN/flags.txt --coordinator=ADDRESS [--index=N]\n\nThis process:\n%s\nThe job:\n%s",
        program.c_str(), describe(role_options()).c_str(), describe(job_options()).c_str());
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
  const NodeId process{role, static_cast<std::uint32_t>(line.options.integer("index"))};
  auto settings = job_settings(line, true);
  // A scheduler or a store may be where the data is not: most of them do not look at it.
  if (role != Role::worker && settings.status().code() == ExitCode::no_input) settings = job_settings(line, false);
  if (!settings.ok()) return say_and_exit(program, settings.status());
  const Status log = open_log(line, *settings, process);
  if (!log.ok()) return say_and_exit(program, log);

  const Status doings = keep_doings(settings->run.doing(process.name()), process.name());
  if (!doings.ok()) log_warning("event=disk what=" + log_value(doings.what()));

  auto ignored = drop_ignored(*parsed->plugin, *settings);
  if (!ignored.ok()) return say_and_exit(program, ignored.status());
  Member member{*settings, parsed->plugin, initial, nullptr, process.index, std::move(ignored).value()};
  ProcessSettings loop = process_settings(line, *settings, process);
  loop.plugin = file_hash_of(*parsed->plugin);
  loop.threads = role == Role::worker ? settings->threads : 1;
  const auto factory = [&](const Welcome& welcome, Host::Nodes before) {
    return make(member, welcome, std::move(before));
  };
  const int code = end_process(process, run_member(loop, settings->hash, factory));
  drop_doings();
  return code;
}

}  // namespace rota
