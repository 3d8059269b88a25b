#include "cli/launcher/batch_script.h"

#include <algorithm>
#include <boost/process.hpp>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/processes/child.h"
#include "core/base/files.h"

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

// A name without characters that mean something to Slurm.
std::string name_of(const std::string& app) {
  std::string name = "rota-" + std::filesystem::path(app).stem().string();
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '_');
  return name;
}

constexpr char kRun[] = R"shell(rota=$!
# Slurm sends SIGTERM to this shell 60 s before the time limit.
trap 'kill -TERM "$rota" 2>/dev/null' TERM
while kill -0 "$rota" 2>/dev/null; do wait "$rota"; done  # a signal ends a wait
wait "$rota"
code=$?
trap - TERM
# 143: ended by SIGTERM, after a checkpoint if one was due.  75, 137: a process, a machine or memory was lost.
queue_again() {
  case $code in 75 | 137 | 143) ;; *) return 1 ;; esac
  read -r state left < <(squeue --noheader --jobs="$SLURM_JOB_ID" --format="%T %L")
  case $state in CANCELLED | COMPLETING) return 1 ;; esac
  [ "$(newest)" = "$before" ] || return 0
  # Nothing was saved: with a time limit that is too short, or the same loss each time, there would be no end.
  case $code:$left in
    143:[01]:??) echo "rota: no checkpoint within the time limit: not queued again; use a longer --time" ;;
    143:*) return 0 ;;
    *) [ "${SLURM_RESTART_COUNT:-0}" -lt 5 ] && return 0
       echo "rota: no checkpoint, and the job was queued 5 times: not queued again" ;;
  esac
  return 1
}
if queue_again && scontrol requeue "$SLURM_JOB_ID"; then exec sleep 60; fi  # until Slurm ends it
exit "$code"
)shell";

}  // namespace

std::string log_of(const BatchJob& job) {
  return job.run.path.string() + ".slurm.log";
}

Result<std::string> batch_script(const BatchJob& job) {
  const std::string log = log_of(job);
  if (log.find_first_of("%\"\\\n") != log.npos)
    return Status(
        ExitCode::usage,
        "--sbatch: Slurm would replace '%', '\"', '\\' or a line break in the path of --out, " + job.run.path.string());
  std::string script = "#!/bin/bash\n";
  const auto directive = [&](const std::string& option) { script += "#SBATCH " + option + "\n"; };
  directive("--job-name=" + name_of(job.app));
  directive("--output=\"" + log + "\"");
  directive("--open-mode=append");
  directive("--requeue");
  directive("--signal=B:TERM@60");
  // A word that is no option is the value of the one before it.
  std::istringstream words(job.arguments);
  std::string option;
  const auto end_option = [&] {
    if (!option.empty()) directive(std::exchange(option, ""));
  };
  for (std::string word; words >> word;) {
    if (word == ":") {
      end_option();
      directive("hetjob");
    } else if (word.starts_with('-')) {
      end_option();
      option = word;
    } else if (!option.empty()) {
      option += " " + word;
    } else {
      return Status(ExitCode::usage, "--sbatch_args: '" + word + "' is no option of sbatch");
    }
  }
  end_option();
  script += "\nnewest() { ls -d " + quoted(job.run.checkpoint().string()) + "/*/" + RunFolder::kCommitRecord +
            " 2>/dev/null | tail -n 1; }\nbefore=$(newest)\n";
  for (const std::string& word : job.command) script += quoted(word) + " ";
  return script + "&\n" + kRun;
}

Status submit(const std::string& script) {
  const auto program = program_named("sbatch");
  if (!program.ok())
    return {ExitCode::usage, "--sbatch: " + program.status().what() + "; --sbatch=FILE writes the script"};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::tmpfile(), &std::fclose);
  if (in == nullptr || std::fputs(script.c_str(), in.get()) < 0 || std::fflush(in.get()) != 0)
    return cannot_write("a temporary file", errno);
  std::rewind(in.get());
  std::error_code error;
  process::child child(process::exe = program->string(), process::std_in < in.get(), error);
  if (!error) child.wait(error);
  if (error) return {ExitCode::failed, "cannot run sbatch: " + error.message()};
  if (child.exit_code() == 0) return {};
  return {ExitCode::failed, "sbatch ended with exit code " + std::to_string(child.exit_code())};
}

}  // namespace rota
