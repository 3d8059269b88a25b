// rota status DIR|ADDRESS: the state of a run.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/commands/commands.h"
#include "cli/launcher/network.h"
#include "cli/launcher/progress.h"
#include "cli/web/seen_run.h"
#include "core/base/files.h"
#include "core/base/flags.h"
#include "core/base/json_text.h"
#include "core/job/framework_options.h"
#include "core/job/job_options.h"
#include "core/job/run_folder.h"
#include "core/runtime/observe.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr int kAnswerMs = 2000;
constexpr Option kStatusOptions[] = {
    kKeysOption,
    {.name = "check",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "Also exit with 75, for health checks, unless the run is done, or is active and answers."},
};
constexpr std::size_t kFileBytesMax = std::size_t{16} << 20;

void row(const char* name, const std::string& value) {
  if (!value.empty()) std::printf("%-12s %s\n", name, visible_text(value).c_str());
}

void print_answer(const std::string& answer) {
  const auto json = parse_record(answer);
  row("phase", text_in(json, "phase"));
  row("missing", text_in(json, "missing"));
  row("metrics", text_in(json, "metrics"));
  if (const auto newest = json.find("newest"); newest != json.end() && newest->is_object())
    row("newest", epoch_line(*newest));
}

std::string ending_of(const RunFolder& run) {
  const auto event = parse_record(last_lines(run.events(), 1));
  if (text_in(event, "event") != "end") return "";
  char code[32];
  std::snprintf(code, sizeof code, "exit code %.0f: ", number_in(event, "exit"));
  return code + text_in(event, "what");
}

// Whether the run is done, or is active and answers.
Result<bool> folder_status(const RunFolder& run, const fs::path& keys) {
  std::error_code error;
  if (!fs::exists(run.flags(), error)) return Status(ExitCode::no_input, run.path.string() + ": there is no run here");
  const std::string flagfile = "--flagfile=" + run.flags().string();
  const char* const words[] = {"status", flagfile.c_str()};
  ROTA_ASSIGN(const auto line, parse_flags(2, words, {job_options(), {}, {}, true}));
  const auto text = [&](const char* name) { return std::string(line.options.text(name)); };
  row("run", run.path.string());
  row("app", text("app"));
  row("input", text("input"));
  const auto count = [&](const char* name) { return counted(line.options.integer(name), name); };
  row("processes", count("workers") + " of " + count("threads") + ", " + count("schedulers") + ", " + count("stores"));
  const std::string metrics = last_lines(run.metrics(), 1);
  const std::string newest = metrics.empty() ? "not evaluated yet" : epoch_line(parse_record(metrics));
  if (auto result = read_whole_file(run.result(), kFileBytesMax); result.ok()) {
    row("newest", newest);
    row("state", "done");
    row("model_hash", text_in(parse_record(*result), "model_hash"));
    return true;
  }
  if (const auto address = run.read_address()) {
    if (auto answer = ask_status(*address, kAnswerMs, keys_for(keys, run)); answer.ok()) {
      row("state", "running, coordinator at " + *address);
      print_answer(*answer);
      return true;
    }
    row("newest", newest);
    row("state", "the coordinator at " + *address + " does not answer");
  } else {
    const std::string ending = ending_of(run);
    row("newest", newest);
    row("state", ending.empty() ? "not running" : "ended, " + ending);
  }
  if (fs::exists(run.checkpoint(), error)) row("hint", "`rota resume " + run.path.string() + "` resumes it");
  return false;
}

Status status(const CommandLine& line) {
  const std::string& what = line.positional.front();
  const fs::path keys(line.options.text("keys"));
  if (what.find("://") == what.npos) {
    ROTA_ASSIGN(const bool is_well, folder_status({fs::path(what)}, keys));
    if (is_well || !line.options.flag("check")) return {};
    return {ExitCode::temporary, what + ": the run is not done, and its coordinator does not answer"};
  }
  ROTA_ASSIGN(auto answer, ask_status(what, kAnswerMs, keys));
  row("app", text_in(parse_record(answer), "app"));
  print_answer(answer);
  return {};
}

}  // namespace

Status status_command(int argc, const char* const* argv) {
  return run_command(argc, argv,
                     {"status DIR|ADDRESS", "Shows the state of a run.",
                      "which run? rota status DIR, or the coordinator's address", kStatusOptions},
                     status);
}

}  // namespace rota
