#include "cli/launcher/run_job.h"

#include <fcntl.h>

#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "core/base/clock.h"
#include "core/base/json_text.h"
#include "core/checkpoint/model_reader.h"
#include "core/job/plugin_host.h"
#include "rota/io/text_writer.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kResultBytesMax = std::size_t{16} << 20;
constexpr const char* kTextList = "text.list";  // of the files of a model's text form

// "done: 20 epochs in 1.2 s, objective -3.9e+06, model_hash 0123..., DIR"
Status print_result(const RunFolder& run) {
  ROTA_ASSIGN(auto text, read_whole_file(run.result(), kResultBytesMax));
  const auto result = nlohmann::json::parse(text, nullptr, false);
  if (!result.is_object()) return {ExitCode::bug, run.result().string() + " is not a JSON object"};
  std::printf("done: %.0f epochs in %.4g s", number_in(result, "epochs"), number_in(result, "seconds"));
  if (result.contains("objective")) std::printf(", objective %.9g", number_in(result, "objective"));
  if (const auto converged = result.find("converged"); converged != result.end() && *converged == false)
    std::printf(", not converged");
  std::printf(", model_hash %s, %s\n", visible_text(text_in(result, "model_hash")).c_str(),
              visible_text(run.path.native()).c_str());
  if (std::fflush(stdout) != 0) return {ExitCode::disk, "cannot write to stdout"};
  return {};
}

// The exit code of the run's end as its events have it; -1 if they do not.
int last_exit(const RunFolder& run) {
  const auto event = nlohmann::json::parse(last_lines(run.events(), 1), nullptr, false);
  return event.is_object() && text_in(event, "event") == "end" ? static_cast<int>(number_in(event, "exit", -1)) : -1;
}

// Makes all files in a folder durable, those of folders in it too.
Status sync_all(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) ROTA_TRY(sync_file(at->path()));
    if (at->is_directory(ignored)) ROTA_TRY(sync_folder(at->path()));
  }
  return error ? Status(ExitCode::disk, folder.string() + ": " + error.message()) : Status();
}

// Moves what was written into place.  A file that is part of the stored model keeps its name to itself.
Status publish(const fs::path& written, const fs::path& model) {
  const fs::path earlier = model / kTextList;
  std::string names;
  if (auto text = read_whole_file(earlier, kResultBytesMax); text.ok()) names = "\n" + *text;
  std::string list;
  std::error_code error;
  for (fs::directory_iterator at(written, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (fs::exists(model / name, ignored) && names.find("\n" + name + "\n") == names.npos)
      return {ExitCode::failed, "the text form may not be named " + name + ": that is part of the model"};
    list += name + "\n";
  }
  if (error) return {ExitCode::disk, written.string() + ": " + error.message()};
  // The list comes first: what a crash leaves half done may be written over.
  ROTA_TRY(sync_all(written));
  ROTA_TRY(write_atomically(earlier, std::string_view(list)));
  for (std::size_t at = 0, end; (end = list.find('\n', at)) != list.npos; at = end + 1) {
    const std::string name = list.substr(at, end - at);
    fs::rename(written / name, model / name, error);
    if (error) return {ExitCode::cannot_write, (model / name).string() + ": " + error.message()};
  }
  return sync_folder(model);
}

// The text form of an app that has none of its own: every shared table, the rows that were committed.
void export_tables(const Plugin& plugin, const Model& model, const fs::path& folder) {
  const std::vector<Table> tables = plugin.app(model.job())->tables(model.facts());
  for (TableId id = 0; id < tables.size(); ++id) {
    if (tables[id].kind != Table::Kind::shared) continue;
    io::TextWriter out(folder / (tables[id].name + ".csv"));
    out << "key";
    for (std::uint64_t j = 0; j < tables[id].row_width; ++j) out << "," << j;
    out << "\n";
    model.for_each_row(id, [&](Key key, std::span<const double> row) {
      out << key;
      for (const double number : row) out << "," << number;
      out << "\n";
    });
    out.close();
  }
}

}  // namespace

Status export_model(const Plugin& plugin, const fs::path& run_or_model) {
  ROTA_TRY(check_app(plugin, run_or_model));
  ROTA_ASSIGN(auto model, open_model(run_or_model, plugin));
  std::error_code ignored;
  const RunFolder run{run_or_model};
  const fs::path folder = fs::is_directory(run.model(), ignored) ? run.model() : run_or_model;
  ROTA_ASSIGN(auto written, make_private_folder(folder, ".text-"));
  Status status = call_hook(plugin.name, "export_text", "", [&] {
    plugin.export_text != nullptr ? plugin.export_text(*model, written) : export_tables(plugin, *model, written);
  });
  if (status.ok()) status = publish(written, folder);
  fs::remove_all(written, ignored);
  return status;
}

bool has_text(const RunFolder& run) {
  auto list = read_whole_file(run.model() / kTextList, kResultBytesMax);
  if (!list.ok()) return false;
  std::istringstream names(*list);
  std::error_code ignored;
  for (std::string name; std::getline(names, name);)
    if (!fs::exists(run.model() / name, ignored)) return false;
  return true;
}

Status write_text(const RunFolder& run, const Plugin& plugin) {
  Status status = export_model(plugin, run.path);
  if (status.ok() && last_exit(run) == 0) return status;
  if (!status.ok())
    status = {status.code(), status.what() + "; the model itself is whole: `rota resume " + run.path.string() +
                                 "` writes the text again"};
  nlohmann::ordered_json end;
  end["event"] = "end";
  end["time"] = static_cast<double>(wall_clock_ns()) / static_cast<double>(kSecond);
  end["exit"] = static_cast<int>(status.code());
  end["what"] = status.ok() ? "done" : status.what();
  auto events = LineFile::open(run.events());
  if (events.ok()) ROTA_TRY(events->append(end.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  return status;
}

Status run_job(const LocalJob& job, const Plugin& plugin) {
  // Training continues without a reader of the output.
  ::signal(SIGPIPE, SIG_IGN);
  {
    Progress progress;
    ROTA_TRY(supervise(job, progress));
  }
  ROTA_TRY(write_text(job.run, plugin));
  return print_result(job.run);
}

}  // namespace rota
