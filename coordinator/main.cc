// rota-coordinator: the process that brings a run together, and ends it.
#include "base/files.h"
#include "base/job_options.h"
#include "base/log.h"
#include "coordinator/coordinator.h"
#include "coordinator/run_recorder.h"
#include "wire/member.h"

namespace rota {
namespace {

RunPlan plan_of(const JobSettings& settings) {
  RunPlan plan;
  plan.job = settings.hash;
  plan.workers = settings.workers;
  plan.schedulers = settings.schedulers;
  plan.stores = settings.stores;
  plan.shards = settings.job.shards;
  plan.slices = settings.job.slices;
  plan.partitions = settings.partitions;
  plan.epochs = settings.epochs;
  plan.eval_every = settings.eval_every;
  plan.checkpoint_every = settings.checkpoint_every;
  plan.checkpoint_spacing = settings.checkpoint_spacing;
  plan.start_timeout = settings.start_timeout;
  plan.peer_timeout = settings.peer_timeout;
  plan.time_control = settings.step_budget > 0;
  return plan;
}

Ending coordinate(const CommandLine& line, const JobSettings& settings) {
  RunPlan plan = plan_of(settings);
  if (line.options.flag("resume")) {
    auto commit = newest_commit(settings.run, settings.hash);
    // Killed before its first checkpoint, a run begins anew: nothing is lost but time.
    if (!commit.ok() && commit.status().code() != ExitCode::no_input)
      return {commit.status().code(), commit.status().what()};
    if (commit.ok()) plan.resume = std::move(commit).value();
    log_info("event=resume epoch=" + (plan.resume ? std::to_string(plan.resume->epoch) : "none"));
  }
  const auto behind = plan.resume ? std::optional(plan.resume->epoch) : std::nullopt;
  auto recorder = open_run_recorder(settings, line.options.flag("report"), behind);
  if (!recorder.ok()) return {recorder.status().code(), recorder.status().what()};
  const ProcessSettings loop = process_settings(line, settings, kCoordinator);
  const Status address = write_atomically(settings.run.address(), loop.coordinator + "\n");
  if (!address.ok()) return {address.code(), address.what()};
  const Ending ending = run_coordinator(loop, std::make_unique<Coordinator>(plan, *recorder));
  std::error_code ignored;
  std::filesystem::remove(settings.run.address(), ignored);
  return ending;
}

}  // namespace
}  // namespace rota

int main(int argc, char** argv) {
  using namespace rota;
  constexpr const char* kProgram = "rota-coordinator";
  const auto line = parse_job_flags(argc, argv, {job_options(), role_options(), {}, true});
  if (!line.ok() || line->wish != CommandLine::Wish::run) return say_and_exit(kProgram, line);
  const auto settings = job_settings(*line, false);
  if (!settings.ok()) return say_and_exit(kProgram, settings.status());
  const Status log = open_log(*line, *settings, kCoordinator);
  if (!log.ok()) return say_and_exit(kProgram, log);
  return end_process(kCoordinator, coordinate(*line, *settings));
}
