#include "cli/launcher/run_job.h"

#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/folders/text_form.h"
#include "core/base/json_text.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kResultBytesMax = std::size_t{16} << 20;

// "done: 20 epochs in 1.2 s, objective -3.9e+06, model_hash 0123..., DIR"
void print_done(const RunFolder& run, const nlohmann::ordered_json& result) {
  std::printf("done: %.0f epochs in %.4g s", number_in(result, "epochs"), number_in(result, "seconds"));
  if (result.contains("objective")) std::printf(", objective %.9g", number_in(result, "objective"));
  if (const auto converged = result.find("converged"); converged != result.end() && *converged == false)
    std::printf(", not converged");
  std::printf(", model_hash %s, %s\n", visible_text(text_in(result, "model_hash")).c_str(),
              visible_text(run.path.native()).c_str());
}

// The exit code of the run's end as its events have it; -1 if they do not.
int last_exit(const RunFolder& run) {
  const auto event = nlohmann::json::parse(last_lines(run.events(), 1), nullptr, false);
  return event.is_object() && text_in(event, "event") == "end" ? static_cast<int>(number_in(event, "exit", -1)) : -1;
}

}  // namespace

Status print_result(const RunFolder& run, ProgressForm form) {
  ROTA_ASSIGN(auto text, read_whole_file(run.result(), kResultBytesMax));
  const auto result = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!result.is_object()) return {ExitCode::bug, run.result().string() + " is not a JSON object"};
  if (form == ProgressForm::json) {
    nlohmann::ordered_json object = event_now("result");
    object["out"] = visible_text(run.path.native());
    object.update(result);
    std::printf("%s\n", json_text(object).c_str());
  } else {
    print_done(run, result);
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return {ExitCode::disk, "cannot write to stdout"};
  return {};
}

Status write_text(const RunFolder& run, const Plugin& plugin, Progress& progress) {
  const Busy busy(progress, "writing the text form");
  Status status = export_model(plugin, run.path);
  if (status.ok() && last_exit(run) == 0) return status;
  if (!status.ok())
    status = {status.code(), status.what() + "; the model itself is whole: `rota resume " + run.path.string() +
                                 "` writes the text again"};
  nlohmann::ordered_json end = event_now("end");
  end["exit"] = static_cast<int>(status.code());
  end["what"] = status.ok() ? "done" : status.what();
  auto events = LineFile::open(run.events());
  if (events.ok()) ROTA_TRY(events->append(json_text(end)));
  return status;
}

Status run_job(const LocalJob& job, const Plugin& plugin) {
  // Training continues without a reader of the output.
  ::signal(SIGPIPE, SIG_IGN);
  Progress progress(job.progress);
  ROTA_TRY(supervise(job, progress));
  ROTA_TRY(write_text(job.run, plugin, progress));
  progress.end();
  return print_result(job.run, job.progress);
}

}  // namespace rota
