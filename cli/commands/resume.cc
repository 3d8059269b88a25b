// rota resume DIR: resumes a run from its newest committed checkpoint.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "cli/commands/commands.h"
#include "cli/folders/text_form.h"
#include "cli/launcher/run_job.h"
#include "cli/processes/parent_watch.h"
#include "core/base/trust.h"
#include "core/checkpoint/model_reader.h"
#include "core/job/input_files.h"
#include "core/job/job_options.h"
#include "core/job/packed_folder.h"
#include "core/job/plugin_host.h"
#include "core/job/run_lock.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

// Options of where to run and where the data is, which may change when a run is resumed.  Data and initial model are
// compared by content.
constexpr std::array<std::string_view, 10> kMayChange = {"memory",      "workers", "threads", "stores", "spares",
                                                         "min_workers", "on_loss", "input",   "valid",  "init_model"};

std::vector<Option> changeable() {
  std::vector<Option> table;
  for (const Option& option : job_options())
    if (std::ranges::find(kMayChange, option.name) != kMayChange.end()) table.push_back(option);
  table.insert(table.end(), network_options().begin(), network_options().end());
  table.push_back(kProgressOption);
  table.push_back(kParentOption);
  return table;
}

Status check_given(const CommandLine& line, const std::string& folder) {
  for (const auto& [name, value] : line.given) {
    if (may_change_on_resume(name) || name == kProgressOption.name || name == kParentOption.name) continue;
    std::string others;
    for (const std::string_view other : kMayChange) others += " --" + std::string(other);
    return {ExitCode::usage, "--" + name + " belongs to the run in " + folder +
                                 ", and its model may depend on it; a resumed run may have others of" + others};
  }
  for (const char* data : {"input", "valid"})
    if (line.options.text(data) == "-")
      return {ExitCode::usage, "--" + std::string(data) + "=-: a resumed run reads files"};
  return {};
}

// The identity of a job has the plugin's options as they were given (job_identity), so those of a run that was started
// by hand must not get their defaults now.
std::map<std::string, std::string, std::less<>> as_given(const CommandLine& line) {
  std::map<std::string, std::string, std::less<>> values;
  for (const Option& option : job_options()) values.emplace(option.name, line.options.text(option.name));
  for (const auto& [name, value] : line.given)
    if (!is_network_option(name)) values.emplace(name, value);
  return values;
}

// A run of which nothing is missing but the text form of its model, because writing that failed or was cut off, gets
// it.
Status already_done(const RunFolder& run, const Plugin& plugin, ProgressForm form) {
  const bool whole = has_text(run);
  Progress progress(form);
  if (!whole) ROTA_TRY(write_text(run, plugin, progress));
  progress.end();
  if (form == ProgressForm::json) return print_result(run, form);
  std::printf("already done%s: %s\n", whole ? "" : ", the text form is written now",
              visible_text(run.path.native()).c_str());
  return {};
}

// The folder's files name the library to load and the files to write.
Status check_ours(const RunFolder& run) {
  std::vector<fs::path> trusted{run.path, run.flags()};
  std::error_code error;
  if (fs::exists(fs::symlink_status(run.checkpoint(), error))) trusted.push_back(run.checkpoint());
  for (const fs::path& folder : run.epochs()) trusted.push_back(folder);
  for (const fs::path& path : trusted) ROTA_TRY(check_own(path).in("only your own runs can be resumed"));
  return {};
}

Status check_data_is_there(const Options& options, const Plugin& plugin, const std::string& folder) {
  const bool packed = is_packed_folder(fs::path(options.text("input")));
  if (packed) ROTA_TRY(check_packed(options, plugin));
  for (const char* data : {"input", "valid"}) {
    if (packed || !options.has(data)) continue;
    if (auto files = data_files(options.text(data)); !files.ok())
      return {ExitCode::no_input,
              files.status().what() + "; if it was moved: `rota resume " + folder + " --" + data + "=PATH`"};
  }
  if (auto model = initial_model(plugin, options); !model.ok())
    return {model.status().code(),
            model.status().what() + "; if it was moved: `rota resume " + folder + " --init_model=DIR`"};
  return {};
}

Status resume(const CommandLine& line) {
  const RunFolder run{fs::absolute(line.positional.front()).lexically_normal()};
  ROTA_TRY(check_given(line, line.positional.front()));
  ROTA_TRY(watch_parent(line.options));
  std::error_code error;
  if (!fs::exists(run.flags(), error)) return {ExitCode::no_input, run.path.string() + ": there is no run here"};
  ROTA_TRY(check_ours(run));
  ROTA_ASSIGN(auto claim, claim_folder(run.path));
  const bool done = fs::exists(run.result(), error);

  const std::string flagfile = "--flagfile=" + run.flags().string();
  // The folder may have been moved since.
  const std::string out = "--out=" + run.path.string();
  std::vector<std::string> words{"resume", flagfile, out};
  for (const auto& [name, value] : line.given)
    if (name != kProgressOption.name && name != kParentOption.name) words.push_back("--" + name + "=" + value);
  const fs::path input(absolute_input(line.options.text("input")));
  if (line.given.contains("input") && !line.given.contains("valid") && is_packed_folder(input)) {
    // Data by shard has its held-out data with it, or none.
    const auto index = read_index(input);
    words.push_back("--valid=" + (index.ok() && index->has_valid ? input.string() : ""));
  }
  const std::vector<const char*> argv = argv_of(words);
  ROTA_ASSIGN(auto parsed, parse_with_plugin(static_cast<int>(argv.size()), argv.data(), network_options()));
  const ProgressForm progress = progress_form(line.options);
  if (done) return already_done(run, *parsed.plugin, progress);
  // Nothing is touched while a coordinator that was started by hand is at work there; ours takes the lock itself.
  ROTA_TRY(lock_run(run).status());
  ROTA_TRY(check_data_is_there(parsed.line.options, *parsed.plugin, line.positional.front()));
  ROTA_ASSIGN(auto network, network_of(parsed.line, run));
  ROTA_TRY(make_folder(run.log()));
  ROTA_TRY(write_flagfile(run.flags(), as_given(parsed.line)));
  return run_job({run, parsed.line.options, line.log_flags, true, std::move(network), progress}, *parsed.plugin);
}

}  // namespace

bool may_change_on_resume(std::string_view option) {
  return std::ranges::find(kMayChange, option) != kMayChange.end() || is_network_option(option);
}

Status resume_command(int argc, const char* const* argv) {
  static const std::vector<Option> kTable = changeable();
  return run_command(argc, argv,
                     {"resume DIR [flags]", "Resumes the run in DIR.", "which run? rota resume DIR", kTable, true},
                     resume);
}

}  // namespace rota
