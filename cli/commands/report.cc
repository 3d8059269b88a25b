// rota report DIR...: runs as one HTML file.
#include "cli/web/report.h"

#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <system_error>

#include "cli/commands/commands.h"
#include "cli/folders/result_file.h"
#include "cli/launcher/progress.h"
#include "cli/web/model_text.h"
#include "cli/web/run_list.h"
#include "core/base/flags.h"
#include "core/base/json_text.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kRunsMost = 100;
constexpr std::size_t kPoints = 4000, kPointsLeast = 200;  // of all runs together, and of each

constexpr Option kReportOptions[] = {
    {.name = "output",
     .kind = Option::Kind::path,
     .meaning = "The file to write: new, or an earlier report, which is replaced."},
};

// A file that is no report may be the only one of its kind.
Status check_output(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) == 0) return {};
  std::string beginning(4096, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(in.gcount()));
  if (is_report(beginning)) return {};
  return {ExitCode::cannot_write, file.string() + " is there and is no report: name another file"};
}

struct Reported {
  std::shared_ptr<RunList> list;
  std::string name;   // in its list
  std::string shown;  // in the report
};

// Those in the folders that were named, under names of their own.
Result<std::vector<Reported>> runs_of(const std::vector<std::string>& folders) {
  std::vector<Reported> all;
  std::set<std::string> taken;
  for (const std::string& folder : folders) {
    if (folder.find("://") != folder.npos)
      return Status(ExitCode::usage, "a report is made from a run's folder, not from " + folder);
    ROTA_ASSIGN(const std::shared_ptr<RunList> list, RunList::open(folder, {}));
    const Json found = list->all();
    if (found["runs"].empty()) return Status(ExitCode::no_input, folder + ": there is no run here");
    for (const Json& run : found["runs"]) {
      const std::string name = run["name"];
      std::string shown = name;
      for (int i = 2; !taken.insert(shown).second; ++i) shown = name + " (" + std::to_string(i) + ")";
      all.push_back({list, name, shown});
    }
  }
  if (all.size() <= kRunsMost) return all;
  return Status(ExitCode::usage,
                std::to_string(all.size()) + " runs: a report has at most " + std::to_string(kRunsMost));
}

Status report(const CommandLine& line) {
  const fs::path file(line.options.text("output"));
  ROTA_TRY(check_output(follow_links(file)));
  ROTA_ASSIGN(const auto runs, runs_of(line.positional));
  std::vector<std::string> texts;
  for (const Reported& one : runs) {
    const auto run = one.list->find(one.name);
    const auto folder = one.list->folder(one.name);
    if (!run || !folder) return {ExitCode::no_input, one.name + ": the run is not there any longer"};
    auto json = Json::parse(run->whole(std::max(kPoints / runs.size(), kPointsLeast)));
    json["name"] = one.shown;
    json["model"] = model_tables({*folder});
    texts.push_back(json_text(json));
  }
  const std::string page = report_html(texts);
  ROTA_TRY(write_result(file, [&](std::ostream& out) {
    out << page;
    return Status();
  }));
  std::printf("report of %zu run%s, %zu bytes: %s\n", runs.size(), runs.size() == 1 ? "" : "s", page.size(),
              visible_text(file.native()).c_str());
  return {};
}

}  // namespace

Status report_command(int argc, const char* const* argv) {
  ROTA_ASSIGN(const auto line, parse_flags(argc, argv, {{}, kReportOptions, {}}));
  if (line.wish == CommandLine::Wish::help)
    return print_help({"rota report DIR... --output=FILE",
                       "Writes runs as one HTML file, which needs nothing else: the page of `rota web` without its "
                       "server.\nDIR is the folder of a run, or a folder of runs.  Several runs are compared.",
                       {{"", listed(kReportOptions)}}},
                      line),
           Status();
  tell_of_repeated(line);
  if (line.positional.empty()) return {ExitCode::usage, "of which run? rota report DIR --output=FILE"};
  if (!line.options.has("output")) return {ExitCode::usage, "into which file? rota report DIR --output=FILE"};
  return report(line);
}

}  // namespace rota
