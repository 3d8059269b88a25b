// rota report DIR...: runs as one HTML file.
#include "cli/web/report.h"

#include <cstdio>
#include <string>

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
    {.name = "compare",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "Begin with all runs in one picture, next to each other: at least two.  Without it a report of several "
                "runs begins with the newest ones of one app."},
    {.name = "output",
     .kind = Option::Kind::path,
     .meaning = "The file to write: new, or an earlier report, which is replaced."},
};

Status report(const CommandLine& line) {
  const fs::path file(line.options.text("output"));
  ROTA_TRY(check_replaced(file, is_report, "report"));
  ROTA_ASSIGN(const auto runs, runs_in(line.positional, "report", kRunsMost));
  const bool compares = line.options.flag("compare");
  if (compares && runs.size() < 2) return {ExitCode::usage, "--compare needs at least two runs, and this is one"};
  std::vector<std::string> texts;
  for (const NamedRun& one : runs) {
    const auto run = one.list->find(one.name);
    const auto folder = one.list->folder(one.name);
    if (!run || !folder) return {ExitCode::no_input, one.name + ": the run is not there any longer"};
    auto json = Json::parse(run->whole(std::max(kPoints / runs.size(), kPointsLeast)));
    json["name"] = one.shown;
    json["model"] = model_tables({*folder});
    texts.push_back(json_text(json));
  }
  const std::string page = report_html(texts, compares);
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
    return print_help({"rota report [--compare] DIR... --output=FILE",
                       "Writes runs as one HTML file, which needs nothing else: the page of `rota web` without its "
                       "server.\nDIR is the folder of a run, or a folder of runs.",
                       {{"", listed(kReportOptions)}}},
                      line),
           Status();
  tell_of_repeated(line);
  if (line.positional.empty()) return {ExitCode::usage, "of which run? rota report DIR --output=FILE"};
  if (!line.options.has("output")) return {ExitCode::usage, "into which file? rota report DIR --output=FILE"};
  return report(line);
}

}  // namespace rota
