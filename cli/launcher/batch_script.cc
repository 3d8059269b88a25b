#include "cli/launcher/batch_script.h"

#include <algorithm>
#include <boost/process.hpp>
#include <cctype>
#include <cstdio>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/processes/child.h"

namespace rota {
namespace {

namespace process = boost::process;

// Of a shell: between single quotes, which it cannot end.
std::string quoted(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-=./:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

constexpr char kRun[] = R"(
# Slurm sends SIGTERM to this shell 60 s before the time limit.
trap 'kill -TERM "$rota" 2>/dev/null' TERM
wait "$rota"
code=$?
while kill -0 "$rota" 2>/dev/null; do
  wait "$rota"
  code=$?
done
# 143: ended by SIGTERM, after a checkpoint.  75: a process or machine was lost.  A cancelled job is not queued again.
if [ "$code" = 143 ] || { [ "$code" = 75 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 20 ]; }; then
  case $(squeue --noheader --jobs="$SLURM_JOB_ID" --format=%T) in
    CANCELLED | COMPLETING) ;;
    *) scontrol requeue "$SLURM_JOB_ID" && sleep 60 ;;
  esac
fi
exit "$code"
)";

}  // namespace

Result<std::string> batch_script(const BatchJob& job) {
  std::string script = "#!/bin/bash\n";
  const auto directive = [&](const std::string& option) { script += "#SBATCH " + option + "\n"; };
  directive("--job-name=rota-" + job.app);
  directive("--output=\"" + job.log + "\"");
  directive("--open-mode=append");
  directive("--requeue");
  directive("--signal=B:TERM@60");
  // A word that is no option is the value of the one before it.
  std::istringstream words(job.arguments);
  std::string option;
  for (std::string word; words >> word;) {
    if (!word.starts_with('-') && option.empty())
      return Status(ExitCode::usage, "--sbatch_args: '" + word + "' is no option of sbatch");
    if (word.starts_with('-') && !option.empty()) directive(std::exchange(option, ""));
    option += (option.empty() ? "" : " ") + word;
  }
  if (!option.empty()) directive(option);
  script += "\n";
  for (const std::string& word : job.command) script += quoted(word) + " ";
  script += "&\nrota=$!\n";
  if (const auto breaks = [](const std::string& word) { return word.find('\n') != word.npos; };
      std::ranges::any_of(job.command, breaks) || breaks(job.log) || breaks(job.app) ||
      job.log.find_first_of("%\"\\") != job.log.npos)
    return Status(ExitCode::usage,
                  "--sbatch: a line break in an option, or '%', '\"' or '\\' in the path of --out, which Slurm "
                  "would replace");
  return script + (kRun + 1);
}

Status submit(const std::string& script) {
  const auto program = program_named("sbatch");
  if (!program.ok())
    return {ExitCode::usage, "--sbatch: " + program.status().what() + "; --sbatch=FILE writes the script"};
  process::opstream in;
  process::ipstream out;
  std::error_code error;
  process::child child(process::exe = program->string(), process::std_in<in, process::std_out> out, error);
  if (error) return {ExitCode::failed, "cannot start sbatch: " + error.message()};
  in << script << std::flush;
  in.pipe().close();
  for (std::string line; std::getline(out, line);) std::printf("%s\n", line.c_str());
  child.wait(error);
  if (!error && child.exit_code() == 0) return {};
  return {ExitCode::failed, "sbatch ended with exit code " + std::to_string(child.exit_code())};
}

}  // namespace rota
