// rota-coordinator: the process that starts, directs and ends a run.
#include <limits>
#include <optional>

#include "coordinator/coordinator.h"
#include "coordinator/metrics_server.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/version.h"
#include "core/checkpoint/newest_commit.h"
#include "core/job/hook_trace.h"
#include "core/job/job_options.h"
#include "core/job/run_lock.h"
#include "core/records/run_recorder.h"
#include "core/runtime/member.h"

namespace rota {
namespace {

// A run that cannot begin ends in its events too, which the launcher reads.
Ending cannot_begin(Recorder& recorder, const Status& why) {
  recorder.event("end", {{"exit", static_cast<std::uint64_t>(why.code())}, {"what", why.what()}});
  return {why.code(), why.what()};
}

Ending cannot_resume(const JobConfig& config, const Status& why) {
  constexpr Epoch kAll = std::numeric_limits<Epoch>::max();  // keep the metrics of all
  if (auto recorder = open_run_recorder(config, kAll); recorder.ok()) return cannot_begin(**recorder, why);
  return {why.code(), why.what()};
}

// The records of another run would be gone, and a model of two jobs left.
Status check_new(const RunFolder& run) {
  std::error_code ignored;
  const auto is_there = [&](const std::filesystem::path& file) {
    return std::filesystem::exists(std::filesystem::symlink_status(file, ignored));
  };
  bool holds = is_there(run.result()) || is_there(run.model() / RunFolder::kModelManifest);
  for (const auto& epoch : run.epochs()) holds |= is_there(epoch / RunFolder::kCommitRecord);
  if (!holds) return {};
  return {ExitCode::cannot_write,
          run.path.string() + " holds a run: --resume resumes it; another job needs another --out"};
}

Result<Ending> coordinate(const CommandLine& line, const JobConfig& config) {
  RunPlan plan(config);
  if (!line.options.flag("resume")) ROTA_TRY(check_new(config.run));
  ROTA_ASSIGN(plan.era, begin_era(config.run));
  plan.checkpoints = disk_chunk_files(config.run.path);
  plan.next_era = [run = config.run] { return begin_era(run); };
  std::string from_nothing;  // why a resumed run starts from the beginning
  if (line.options.flag("resume")) {
    auto commit = newest_commit(config.run, config.hash);
    // A run that was killed before its first checkpoint starts from the beginning.
    if (!commit.ok() && commit.status().code() != ExitCode::no_input) return cannot_resume(config, commit.status());
    if (commit.ok()) {
      plan.resume = std::move(commit->newest);
      plan.best = std::move(commit->best);
    }
    if (!commit.ok()) from_nothing = commit.status().what();
  }
  const auto after = plan.resume ? std::optional(plan.resume->epoch) : std::nullopt;
  const auto best = plan.best ? std::optional(plan.best->epoch) : std::nullopt;
  ROTA_ASSIGN(const auto recorder, open_run_recorder(config, after, best));
  recorder->event("started", {{"version", std::string(kVersion)}});
  if (after) recorder->event("resume", {{"epoch", *after}});
  if (!from_nothing.empty()) recorder->event("resume_without_checkpoint", {{"why", from_nothing}});
  std::optional<MetricsServer> metrics;
  if (const std::string place(line.options.text("metrics")); !place.empty()) {
    auto server = MetricsServer::start(place, config);
    if (server.ok()) {
      metrics = *std::move(server);
      recorder->event("metrics", {{"address", metrics->address()}});
    } else if (line.options.flag("resume")) {  // the run is worth more than its metrics
      recorder->event("warning", {{"what", server.status().what() + "; the run continues without"}});
    } else {
      return cannot_begin(*recorder, server.status());
    }
  }
  const auto listening = [&](const std::string& address) {
    return write_atomically(config.run.address(), address + "\n");
  };
  const Ending ending = run_coordinator(config, std::make_unique<Coordinator>(plan, recorder), listening);
  std::error_code ignored;
  std::filesystem::remove(config.run.address(), ignored);
  return ending;
}

}  // namespace
}  // namespace rota

int main(int argc, char** argv) {
  using namespace rota;
  constexpr const char* kProgram = "rota-coordinator";
  if (const Status begun = begin_process(); !begun.ok()) return say_and_exit(kProgram, begun);
  const auto line = parse_job_flags(argc, argv, {job_options(), role_options(), {}, true});
  if (!line.ok() || line->wish != CommandLine::Wish::run) return say_and_exit(kProgram, line);
  const auto config = job_config(*line, false, nullptr);
  if (!config.ok()) return say_and_exit(kProgram, config.status());
  const Status log = open_log(*line, *config, kCoordinator);
  if (!log.ok()) return say_and_exit(kProgram, log);
  // Before anything else is read or written: two coordinators would take the folder for their own.
  const auto lock = lock_run(config->run);
  if (!lock.ok()) return end_process(kCoordinator, {lock.status().code(), lock.status().what()});
  const Status trace = open_hook_trace(config->run.hook_trace(kCoordinator.name()), kCoordinator.name());
  if (!trace.ok()) log_warning("event=disk what=" + log_value(trace.what()));
  const auto ending = coordinate(*line, *config);
  const Status& failed = ending.status();
  const int code = end_process(kCoordinator, ending.ok() ? *ending : Ending{failed.code(), failed.what()});
  remove_hook_trace();
  return code;
}
