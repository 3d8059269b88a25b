// rota plot DIR...: curves of runs as one picture for papers.
#include "cli/web/plot.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <set>
#include <string>

#include "cli/commands/commands.h"
#include "cli/folders/result_file.h"
#include "cli/launcher/progress.h"
#include "cli/web/folder_run.h"
#include "cli/web/run_list.h"
#include "core/base/flags.h"
#include "core/base/json_text.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPlotPoints = 2000;  // of a run; more epochs are sampled evenly

constexpr Option kPlotOptions[] = {
    {.name = "y",
     .default_value = "objective",
     .meaning = "The y axis: a number of metrics.jsonl by its name, such as objective, per_item, valid, "
                "items_per_second, or a term."},
    {.name = "x",
     .kind = Option::Kind::choice,
     .default_value = "epoch",
     .unit = "epoch|seconds",
     .meaning = "The x axis: epochs, or seconds of training."},
    {.name = "log",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "Logarithmic y axis; values that are not positive are gaps."},
    {.name = "output",
     .kind = Option::Kind::path,
     .meaning = "The file to write instead of stdout: new, or an earlier plot, which is replaced."},
    {.name = "format",
     .kind = Option::Kind::choice,
     .default_value = "svg",
     .unit = "svg",
     .meaning = "Format of the picture."},
};

// The numbers of a record by name, with its terms and the figures of its schedule; null is a number that is not finite.
std::map<std::string, double, std::less<>> numbers_of(const nlohmann::json& record) {
  std::map<std::string, double, std::less<>> numbers;
  const auto add = [&](const nlohmann::json& object) {
    for (const auto& [name, value] : object.items())
      if (value.is_number() || value.is_null())
        numbers.emplace(name, value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  };
  add(record);
  for (const char* more : {"terms", "schedule"})
    if (const auto found = record.find(more); found != record.end() && found->is_object()) add(*found);
  return numbers;
}

std::string label_of(const std::string& name, const std::string& unit) {
  if (name == "per_item") return "objective per item";
  if (name == "valid") return "held-out score";
  if (name == "items_per_second") return (unit.empty() ? "items" : unit) + " per second";
  return name;
}

// Seconds as minutes or hours if there are many.
void set_time_unit(Plot& plot) {
  double most = 0;
  for (const Curve& curve : plot.curves)
    for (const auto& point : curve.points) most = std::max(most, point.first);
  const double unit = most > 7200 ? 3600 : most > 300 ? 60 : 1;
  plot.x_label = std::string("training time (") + (unit == 1 ? "s)" : unit == 60 ? "min)" : "h)");
  for (Curve& curve : plot.curves)
    for (auto& point : curve.points) point.first /= unit;
}

// ExitCode::no_input if no run was evaluated, usage if none has such numbers.  Single runs without are told of.
Result<Plot> plot_of(const std::vector<NamedRun>& runs, const std::string& x, const std::string& y) {
  Plot plot;
  std::set<std::string> names;
  std::string unit, left_out;
  for (const NamedRun& one : runs) {
    const auto folder = one.list->folder(one.name);
    if (!folder) return Status(ExitCode::no_input, one.name + ": the run is not there any longer");
    FolderRun run({*folder}, one.shown);
    run.update();
    Curve curve{one.shown};
    bool is_evaluated = false;
    for (const std::string& line : run.since(SeenRun::Kind::metrics, 0, kPlotPoints)) {
      const auto record = parse_record(line);
      const auto numbers = numbers_of(record);
      const auto at = numbers.find(x);
      if (at == numbers.end() || !std::isfinite(at->second)) continue;
      is_evaluated = true;
      for (const auto& [name, value] : numbers)
        if (name != "epoch" && name != "epochs" && name != "seconds") names.insert(visible_text(name));
      if (const auto found = numbers.find(y); found != numbers.end())
        curve.points.emplace_back(at->second, found->second);
      if (unit.empty()) unit = text_in(record, "items_unit");
    }
    for (const std::string& problem : run.problems())
      std::fprintf(stderr, "rota: %s: %s\n", one.shown.c_str(), visible_text(problem).c_str());
    if (curve.points.empty())
      left_out += "rota: " + one.shown + (is_evaluated ? " has no " + y : " has no evaluation yet") + "\n";
    else
      plot.curves.push_back(std::move(curve));
  }
  if (names.empty()) return Status(ExitCode::no_input, "there is no evaluation in metrics.jsonl yet: nothing to draw");
  if (plot.curves.empty()) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? " " : ", ") + name;
    return Status(ExitCode::usage, "there is no '" + y + "' in metrics.jsonl; --y can be:" + all);
  }
  std::fputs(visible_text(left_out).c_str(), stderr);
  plot.x_label = x;
  plot.whole_x = x == "epoch";
  if (x == "seconds") set_time_unit(plot);
  plot.y_label = label_of(y, unit);
  return plot;
}

Status plot(const CommandLine& line) {
  const Options& options = line.options;
  const fs::path file(options.text("output"));
  if (!file.empty()) ROTA_TRY(check_replaced(file, is_plot, "plot"));
  ROTA_ASSIGN(const auto runs, runs_in(line.positional, "plot", kCurvesMost));
  const std::string y(options.text("y"));
  ROTA_ASSIGN(Plot plot, plot_of(runs, std::string(options.text("x")), y));
  plot.log_y = options.flag("log");
  if (!has_points(plot))
    return {ExitCode::usage,
            plot.log_y ? "--log: no value of " + y + " is positive" : "no value of " + y + " is finite"};
  const std::string svg = plot_svg(plot);
  if (file.empty()) return std::fwrite(svg.data(), 1, svg.size(), stdout), Status();
  return write_result(file, [&](std::ostream& out) {
    out << svg;
    return Status();
  });
}

}  // namespace

Status plot_command(int argc, const char* const* argv) {
  ROTA_ASSIGN(const auto line, parse_flags(argc, argv, {{}, kPlotOptions, {}}));
  if (line.wish == CommandLine::Wish::help)
    return print_help({"rota plot DIR... [flags]",
                       "Draws curves of runs against epochs or time as one picture for papers, in SVG.  Curves differ "
                       "by colour and dashes.\nDIR is the folder of a run, or a folder of runs.",
                       {{"", listed(kPlotOptions)}}},
                      line),
           Status();
  tell_of_repeated(line);
  if (line.positional.empty()) return {ExitCode::usage, "of which run? rota plot DIR"};
  return plot(line);
}

}  // namespace rota
