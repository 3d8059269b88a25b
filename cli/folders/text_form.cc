#include "cli/folders/text_form.h"

#include <cstdio>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/files.h"
#include "core/checkpoint/model_reader.h"
#include "core/job/plugin_host.h"
#include "rota/io/text_writer.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kListBytesMax = std::size_t{16} << 20;
constexpr const char* kTextList = "text.list";  // of the files of a model's text form

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
  if (auto text = read_whole_file(earlier, kListBytesMax); text.ok()) names = "\n" + *text;
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

Status write_form(const Plugin& plugin, const fs::path& run_or_model, const fs::path& folder) {
  ROTA_TRY(check_app(plugin, run_or_model));
  ROTA_ASSIGN(auto model, open_to_read(run_or_model, plugin));
  return write_text_form(plugin, *model, folder);
}

void convert_all(const fs::path& from, io::TableFormat format, const fs::path& to) {
  for (const fs::directory_entry& file : fs::directory_iterator(from)) {
    fs::path converted = to / file.path().filename();
    const bool table = converted.extension() == ".csv";
    if (table && io::convert_table(file, format, converted.replace_extension(io::ending_of(format)))) continue;
    fs::copy(file, to / file.path().filename(), fs::copy_options::recursive);
    if (table)
      std::fprintf(stderr, "rota: %s has text: it stays CSV\n", visible_text(file.path().filename().native()).c_str());
  }
}

}  // namespace

Result<std::unique_ptr<Model>> open_to_read(const fs::path& run_or_model, const Plugin& plugin) {
  ROTA_ASSIGN(auto model, open_model(run_or_model, plugin));
  if (!is_final(*model))
    std::fprintf(stderr, "rota: the run is not done: this is the model of its newest checkpoint, epoch %u\n",
                 model->epoch());
  return model;
}

Status write_text_form(const Plugin& plugin, const Model& model, const fs::path& folder) {
  return call_hook(plugin.name, "export_text", "", [&] {
    plugin.export_text != nullptr ? plugin.export_text(model, folder) : export_tables(plugin, model, folder);
  });
}

Status export_model(const Plugin& plugin, const fs::path& run_or_model) {
  std::error_code ignored;
  const RunFolder run{run_or_model};
  if (fs::exists(run.flags(), ignored) && !fs::exists(run.model() / RunFolder::kModelManifest, ignored))
    return {ExitCode::usage,
            run.path.string() + ": the run is not done: write its model into a new folder, --output=DIR"};
  const fs::path folder = fs::is_directory(run.model(), ignored) ? run.model() : run_or_model;
  ROTA_ASSIGN(auto written, make_private_folder(folder, ".text-"));
  Status status = write_form(plugin, run_or_model, written);
  if (status.ok()) status = publish(written, folder);
  fs::remove_all(written, ignored);
  return status;
}

Status export_into(const Plugin& plugin, const fs::path& run_or_model, fs::path folder, io::TableFormat format) {
  if (!folder.has_filename()) folder = folder.parent_path();  // DIR/
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    return {ExitCode::cannot_write, folder.string() + ": not an empty folder"};
  const fs::path parent = folder.parent_path().empty() ? "." : folder.parent_path();
  ROTA_TRY(make_folder(parent));
  ROTA_ASSIGN(const auto written, make_private_folder(parent, ".text-"));
  const fs::path text = written / "text", converted = written / "converted";
  fs::create_directory(text, error);
  fs::create_directory(converted, error);
  Status status = write_form(plugin, run_or_model, text);
  if (status.ok()) status = call_hook(plugin.name, "export", "", [&] { convert_all(text, format, converted); });
  if (status.ok()) status = sync_all(converted);
  if (status.ok()) {
    fs::rename(converted, folder, error);
    if (error) status = {ExitCode::cannot_write, folder.string() + ": " + error.message()};
  }
  fs::remove_all(written, error);
  return status;
}

bool has_text(const RunFolder& run) {
  auto list = read_whole_file(run.model() / kTextList, kListBytesMax);
  if (!list.ok()) return false;
  std::istringstream names(*list);
  std::error_code ignored;
  for (std::string name; std::getline(names, name);)
    if (!fs::exists(run.model() / name, ignored)) return false;
  return true;
}

}  // namespace rota
