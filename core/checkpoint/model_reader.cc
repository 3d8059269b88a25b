#include "core/checkpoint/model_reader.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/files.h"
#include "core/base/flags.h"
#include "core/base/json_text.h"
#include "core/base/option_value.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/cut.h"
#include "core/job/input_files.h"
#include "core/job/job_config.h"
#include "core/job/job_options.h"
#include "core/job/plugin_host.h"
#include "core/job/run_folder.h"
#include "core/records/json_records.h"
#include "core/rounds/placement.h"
#include "rota/error.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr unsigned kFormat = 3;  // that of commit records, too
constexpr std::size_t kManifestBytesMax = std::size_t{16} << 20;
constexpr int kTriesMost = 10;  // of a checkpoint that is dropped while it is read

struct Manifest {
  std::string app;
  Job job;
  Facts facts;
  Epoch epoch = 0;
  std::vector<std::unique_ptr<CheckpointFile>> files;  // by partition
};

template <typename T>
T must(Result<T> result) {
  if (!result.ok()) throw DataError(result.status().what(), 0, "the model is damaged");
  return std::move(result).value();
}

class StoredModel final : public Model {
 public:
  StoredModel(Manifest manifest, Cut cut, bool is_final)
      : manifest_(std::move(manifest)), cut_(std::move(cut)), is_final_(is_final) {}

  bool is_final() const { return is_final_; }

  const Job& job() const override { return manifest_.job; }
  const Facts& facts() const override { return manifest_.facts; }
  const Cut& cut() const override { return cut_; }
  Epoch epoch() const override { return manifest_.epoch; }
  std::vector<double> row(TableId table, Key key) const override {
    const auto row_in = [&](std::uint32_t partition) { return must(manifest_.files[partition]->row(table, key)); };
    // How the table is spread is the plugin's to know: the row is where its key hashes to, or in a single partition, or
    // in that of its range.
    auto row = row_in(partition_of_row(table, key, partitions()));
    for (std::uint32_t partition = 0; row.empty() && partition < partitions(); ++partition) row = row_in(partition);
    return row;
  }
  void for_each_row(TableId table, const std::function<void(Key, std::span<const double>)>& f) const override {
    constexpr std::size_t kBlock = std::size_t{1} << 16;  // numbers
    std::deque<std::vector<double>> blocks;
    std::vector<std::pair<Key, std::span<const double>>> rows;
    for (const auto& file : manifest_.files) {
      const Status status = file->for_each_row([&](TableId of, Key key, std::span<const double> row) {
        if (of != table) return;
        if (blocks.empty() || blocks.back().capacity() - blocks.back().size() < row.size())
          blocks.emplace_back().reserve(std::max(kBlock, row.size()));
        std::vector<double>& block = blocks.back();
        block.insert(block.end(), row.begin(), row.end());
        rows.emplace_back(key, std::span(block).last(row.size()));
      });
      if (!status.ok()) throw DataError(status.what(), 0, "the model is damaged");
    }
    std::ranges::sort(rows, {}, [](const auto& row) { return row.first; });
    for (const auto& [key, row] : rows) f(key, row);
  }
  Bytes slice(SliceId slice) const override { return object(Object::slice, slice); }
  Bytes shard(ShardId shard) const override { return object(Object::shard, shard); }
  Bytes common() const override { return object(Object::common, 0); }

 private:
  std::uint32_t partitions() const { return static_cast<std::uint32_t>(manifest_.files.size()); }
  Bytes object(Object object, std::uint64_t number) const {
    return must(manifest_.files[partition_of_object(number, partitions())]->get(object, number));
  }

  Manifest manifest_;
  Cut cut_;
  bool is_final_;
};

fs::path model_folder(const fs::path& folder) {
  const RunFolder run{folder};
  return fs::exists(run.model() / RunFolder::kModelManifest) ? run.model() : folder;
}

Result<nlohmann::json> read_manifest(const fs::path& folder) {
  const auto path = model_folder(folder) / RunFolder::kModelManifest;
  if (!fs::exists(path)) return Status(ExitCode::no_input, folder.string() + ": there is no model here");
  ROTA_ASSIGN(auto text, read_whole_file(path, kManifestBytesMax));
  // Those of format 1 had no checksum.  They are refused: if its absence were allowed, it would be no check.
  return unseal(text, kFormat).in(path.string());
}

Result<std::string> text_of_manifest(const fs::path& folder, const char* field) {
  ROTA_ASSIGN(const auto json, read_manifest(folder));
  auto text = json.contains(field) ? exact_text_of(json.at(field)) : std::nullopt;
  if (!text) return Status(ExitCode::disk, folder.string() + ": the model's manifest names no " + field);
  return *std::move(text);
}

// Into the field, if it is a whole number that it can hold; the library would make any number fit.
template <typename T>
bool take_whole(const nlohmann::json& value, T& to) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<T>::max()) return false;
  to = value.get<T>();
  return true;
}

// What is said twice must be the same, and there are no more items than a count can be.
Status check_numbers_of(const nlohmann::json& json, const Job& job) {
  std::uint64_t items = 0;
  if (json.contains("items") && (!take_whole(json.at("items"), items) || items > kMostCounted))
    return {ExitCode::disk, "damaged: items, " + json.at("items").dump() + ", cannot be"};
  const auto differs = [&](const char* option, std::uint64_t times, std::uint64_t is) {
    return job.options.has(option) && static_cast<std::uint64_t>(job.options.integer(option)) * times != is;
  };
  const bool slices_chosen = job.options.text("slices_per_shard") == "0";  // not by the user
  const char* const wrong = differs("seed", 1, job.seed)                                            ? "seed"
                            : differs("shards", 1, job.shards)                                      ? "shards"
                            : !slices_chosen && differs("slices_per_shard", job.shards, job.slices) ? "slices"
                                                                                                    : nullptr;
  return wrong == nullptr ? Status()
                          : Status(ExitCode::disk, std::string("damaged: ") + wrong + " is not what the options say");
}

// Where a model is stored: a model's folder, or a checkpoint.
struct Place {
  fs::path record;  // its manifest, or the commit record
  fs::path folder;  // in which the files of its partitions are
  bool is_final = true;

  bool may_name(const std::string& file, Epoch epoch, std::uint32_t partition) const {
    return is_final ? file == RunFolder::partition_file(partition) : RunFolder::is_partition_of(file, epoch, partition);
  }
};

// Throws nlohmann's exceptions if something is missing or of another type.
Result<Manifest> parse(const Place& place, const nlohmann::json& json, std::span<const Option> known) {
  const fs::path& folder = place.folder;
  Manifest manifest;
  const auto app = exact_text_of(json.at("app"));
  if (!app) return Status(ExitCode::disk, folder.string() + ": the model's manifest names no app");
  manifest.app = *app;
  std::uint64_t partitions = 0;
  if (!take_whole(json.at("epoch"), manifest.epoch) || !take_whole(json.at("seed"), manifest.job.seed) ||
      !take_whole(json.at("shards"), manifest.job.shards) || !take_whole(json.at("slices"), manifest.job.slices) ||
      !take_whole(json.at("partitions"), partitions))
    return Status(ExitCode::disk, folder.string() + ": a number in the model's manifest does not fit");
  manifest.facts = Facts(facts_from_json(json.at("facts")));
  std::map<std::string, std::string, std::less<>> options;
  for (const auto& [name, value] : json.at("options").items()) {
    auto text = exact_text_of(value);
    if (!text) return Status(ExitCode::disk, folder.string() + ": the model's manifest has no text for --" + name);
    // What no command line could have said, the app is not asked to understand.
    for (const std::span<const Option> table : {job_options(), known})
      for (const Option& option : table)
        if (option.name == name && !text->empty())
          if (const auto checked = checked_value(option, *text); !checked.ok())
            return Status(ExitCode::disk, folder.string() + ": damaged: " + checked.status().what());
    options[name] = *std::move(text);
  }
  for (const Option& option : known) options.try_emplace(std::string(option.name), option.default_value);
  manifest.job.options = Options(std::move(options));
  const auto number = [&](std::string_view name, std::uint32_t& to) {
    if (manifest.job.options.has(name)) to = static_cast<std::uint32_t>(manifest.job.options.integer(name));
  };
  number("schedulers", manifest.job.schedulers);
  number("staleness", manifest.job.staleness);
  number("pipeline", manifest.job.pipeline);
  ROTA_TRY(check_numbers_of(json, manifest.job).in(place.record.string()));
  manifest.job.input = named_inputs(manifest.job.options.text("input"));
  manifest.job.valid = named_inputs(manifest.job.options.text("valid"));
  for (const auto& file : json.at("files")) {
    const auto name = file.at("file").get<std::string>();
    if (!place.may_name(name, manifest.epoch, static_cast<std::uint32_t>(manifest.files.size())))
      return Status(ExitCode::disk, place.record.string() + ": '" + name + "' is no name of a model's file");
    const auto path = folder / name;
    ROTA_ASSIGN(const auto measured, hash_file(path));
    std::uint64_t bytes = 0;
    if (!take_whole(file.at("bytes"), bytes) || measured.bytes != bytes ||
        measured.hash.hex() != file.at("xxh3").get<std::string>())
      return Status(ExitCode::disk, path.string() + ": not what the manifest says: damaged");
    ROTA_ASSIGN(auto opened, CheckpointFile::open(path));
    manifest.files.push_back(std::move(opened));
  }
  // Where a row is follows from the number of files: with one missing, others would be looked for in the wrong place.
  if (manifest.files.empty() || manifest.files.size() != partitions)
    return Status(ExitCode::disk, folder.string() + ": a model without some of its files");
  return manifest;
}

Result<std::unique_ptr<Model>> stored_model(const Place& place, const nlohmann::json& json,
                                            std::span<const Option> known) {
  try {
    ROTA_ASSIGN(auto manifest, parse(place, json, known));
    ROTA_ASSIGN(auto bytes, manifest.files[0]->get(Object::cut, 0));
    Reader in(bytes.view());
    auto cut = decode_cut(in);
    if (!cut) return Status(ExitCode::disk, place.folder.string() + ": the model's cut is damaged");
    manifest.job.slices = static_cast<std::uint32_t>(cut->slices.size());
    return std::unique_ptr<Model>(std::make_unique<StoredModel>(std::move(manifest), *std::move(cut), place.is_final));
  } catch (const nlohmann::json::exception& error) {
    return Status(ExitCode::disk, place.folder.string() + ": the model's manifest is damaged: " + error.what());
  }
}

// ---- The newest checkpoint of a run that is not done

bool has_checkpoints_alone(const fs::path& folder) {
  std::error_code error;
  return fs::exists(RunFolder{folder}.flags(), error) &&
         !fs::exists(model_folder(folder) / RunFolder::kModelManifest, error);
}

// What `use` makes of the newest commit record for which it succeeds.  A run that trains drops old epochs meanwhile:
// then there are newer ones.
template <typename T, typename Use>
Result<T> of_newest_commit(const RunFolder& run, Use use) {
  for (int tries = 0; tries < kTriesMost; ++tries) {
    const auto epochs = run.epochs();
    Status refused(ExitCode::no_input, run.path.string() + ": the run has no model yet, and no checkpoint either");
    bool is_first = true;
    for (const fs::path& epoch : epochs) {
      const fs::path file = epoch / RunFolder::kCommitRecord;
      std::error_code error;
      if (!fs::exists(file, error)) continue;
      const auto used = [&]() -> Result<T> {
        ROTA_ASSIGN(const auto text, read_whole_file(file, kManifestBytesMax));
        ROTA_ASSIGN(const auto record, commit_from_text(text).in(file.string()));
        return use(file, record);
      };
      auto result = used();
      if (result.ok()) return result;
      if (std::exchange(is_first, false)) refused = result.status();
    }
    if (run.epochs() == epochs) return refused;
  }
  return Status(ExitCode::temporary,
                run.path.string() + ": its checkpoints are replaced faster than they can be read; try again");
}

Result<std::unique_ptr<Model>> open_checkpoint(const RunFolder& run, const Plugin& plugin) {
  const std::string flagfile = "--flagfile=" + run.flags().string();
  const char* const words[] = {"model", flagfile.c_str()};
  ROTA_ASSIGN(const auto line, parse_flags(2, words, {job_options(), role_options(), plugin.options}));
  ROTA_ASSIGN(const auto config, job_config(line, false, &plugin));
  return of_newest_commit<std::unique_ptr<Model>>(
      run, [&](const fs::path& file, const CommitRecord& record) -> Result<std::unique_ptr<Model>> {
        if (record.job != config.hash)
          return Status(ExitCode::usage, run.flags().string() + ": not the options of " + file.string());
        return stored_model({file, run.checkpoint(), false}, manifest_of(record, config), plugin.options);
      });
}

}  // namespace

Result<std::unique_ptr<Model>> open_model(const fs::path& folder, std::span<const Option> options) {
  ROTA_ASSIGN(const auto json, read_manifest(folder));
  const fs::path its = model_folder(folder);
  return stored_model({its / RunFolder::kModelManifest, its}, json, options);
}

bool is_final(const Model& model) {
  const auto* const stored = dynamic_cast<const StoredModel*>(&model);
  return stored == nullptr || stored->is_final();
}

Result<std::unique_ptr<Model>> open_model(const fs::path& folder, const Plugin& plugin) {
  auto opened = has_checkpoints_alone(folder) ? open_checkpoint({folder}, plugin) : open_model(folder, plugin.options);
  ROTA_ASSIGN(auto model, std::move(opened));
  // An app that counts something makes tables of it, and will not if it is no count.
  if (plugin.app == nullptr) return model;
  std::unique_ptr<App> app;
  const Job& job = model->job();
  if (!call_hook(plugin.name, "app", "", [&] { app = plugin.app(job); }).ok() || app == nullptr) return model;
  const Status valid = call_hook(plugin.name, "tables", "", [&] { (void)app->tables(model->facts()); });
  if (valid.ok()) return model;
  return Status(ExitCode::disk,
                (model_folder(folder) / RunFolder::kModelManifest).string() + ": damaged: facts: " + valid.what());
}

Result<std::string> app_of_model(const fs::path& folder) {
  if (has_checkpoints_alone(folder))
    return of_newest_commit<std::string>(
        {folder}, [](const fs::path&, const CommitRecord& record) { return Result<std::string>(record.app); });
  return text_of_manifest(folder, "app");
}

Result<std::string> hash_of_model(const fs::path& folder) {
  return text_of_manifest(folder, "model_hash");
}

Status check_app(const Plugin& plugin, const fs::path& run_or_model) {
  ROTA_ASSIGN(const auto app, app_of_model(run_or_model));
  if (app == plugin.name) return {};
  return {ExitCode::bad_data, "the model in " + run_or_model.string() + " was made by the app " + app +
                                  ", and this is the app " + std::string(plugin.name)};
}

Result<std::shared_ptr<const Model>> initial_model(const Plugin& plugin, const Options& options) {
  if (!options.has("init_model")) return std::shared_ptr<const Model>();
  if (!plugin.takes_model)
    return Status(ExitCode::usage,
                  "--init_model: the app " + std::string(plugin.name) + " does not begin with a model");
  const fs::path folder(options.text("init_model"));
  if (const auto app = app_of_model(folder); !app.ok() || !plugin.takes_those_of(*app))
    ROTA_TRY(check_app(plugin, folder).in("--init_model"));
  ROTA_ASSIGN(const auto hash, hash_of_model(folder));
  if (const std::string_view wanted = options.text("init_hash"); !wanted.empty() && hash != wanted)
    return Status(ExitCode::bad_data, "--init_model: " + folder.string() + " has the model " + hash +
                                          ", and the job began with " + std::string(wanted));
  ROTA_ASSIGN(auto model, open_model(folder, plugin).in("--init_model"));
  return std::shared_ptr<const Model>(std::move(model));
}

}  // namespace rota
