#include "core/records/json_records.h"

#include <limits>
#include <map>

#include "core/base/json_text.h"
#include "core/job/run_folder.h"
#include "rota/utf8.h"

namespace rota {

namespace {

// A whole number up to `most`; anything else sets `fits` to false, because the library would make it fit.
template <typename T>
T whole(const nlohmann::json& value, bool& fits, T most = std::numeric_limits<T>::max()) {
  fits = fits && value.is_number_unsigned() && value.get<std::uint64_t>() <= most;
  return fits ? value.get<T>() : 0;
}

nlohmann::ordered_json by_name(const std::vector<std::pair<std::string, double>>& values) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : values) json[visible_text(name)] = value;
  return json;
}

}  // namespace

nlohmann::ordered_json to_json(const EpochRecord& record) {
  nlohmann::ordered_json json;
  json["epoch"] = record.epoch;
  json["epochs"] = record.epochs;
  json["seconds"] = record.seconds;
  if (record.evaluated) {
    json["objective"] = record.objective;
    if (record.per_item) json["per_item"] = *record.per_item;
    if (record.valid) json["valid"] = *record.valid;
    json["terms"] = by_name(record.terms);
  }
  if (record.best)
    json["best"] = {{"epoch", record.best->epoch}, {"valid", record.best->valid}, {"since", record.best->since}};
  if (!record.figures.empty()) json["schedule"] = by_name(record.figures);
  if (record.converged) json["converged"] = *record.converged;
  json["items"] = record.items;
  json["items_unit"] = visible_text(record.items_unit);
  json["items_per_second"] = record.items_per_second;
  json["bytes_sent"] = record.bytes_sent;
  json["slice_bytes"] = record.slice_bytes;
  if (record.exchange_bytes > 0) json["exchange_bytes"] = record.exchange_bytes;
  json["workers"] = record.workers.size();
  const auto by_worker = [&](const char* name, auto WorkerTimes::*field) {
    json[name] = nlohmann::ordered_json::array();
    for (const WorkerTimes& worker : record.workers) json[name].push_back(worker.*field);
  };
  by_worker("compute_seconds", &WorkerTimes::compute_seconds);
  by_worker("wire_seconds", &WorkerTimes::wire_seconds);
  by_worker("wait_seconds", &WorkerTimes::wait_seconds);
  by_worker("memory_bytes", &WorkerTimes::memory);
  by_worker("peak_memory_bytes", &WorkerTimes::peak_memory);
  json["slowest"] = record.slowest;
  json["waiting"] = record.waiting_share;
  return json;
}

namespace {

// A number that was none when it was written is null.
double real(const nlohmann::json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

std::vector<std::pair<std::string, double>> pairs_from(const nlohmann::json& object) {
  std::vector<std::pair<std::string, double>> pairs;
  for (const auto& [name, value] : object.items()) pairs.emplace_back(name, real(value));
  return pairs;
}

// Throws the library's exceptions on a wrong type.
EpochRecord epoch_from_json(const nlohmann::json& json, bool& fits) {
  EpochRecord record;
  record.epoch = whole<Epoch>(json.at("epoch"), fits);
  record.epochs = whole<Epoch>(json.at("epochs"), fits);
  record.seconds = real(json.at("seconds"));
  record.evaluated = json.contains("objective");
  if (record.evaluated) {
    record.objective = real(json.at("objective"));
    if (json.contains("per_item")) record.per_item = real(json.at("per_item"));
    if (json.contains("valid")) record.valid = real(json.at("valid"));
    record.terms = pairs_from(json.at("terms"));
  }
  if (json.contains("best")) {
    const nlohmann::json& best = json.at("best");
    record.best = BestSoFar{whole<Epoch>(best.at("epoch"), fits), real(best.at("valid")),
                            whole<std::uint32_t>(best.at("since"), fits)};
  }
  if (json.contains("schedule")) record.figures = pairs_from(json.at("schedule"));
  if (json.contains("converged")) record.converged = json.at("converged").get<bool>();
  record.items = whole<std::uint64_t>(json.at("items"), fits);
  record.items_unit = json.at("items_unit").get<std::string>();
  record.items_per_second = real(json.at("items_per_second"));
  record.bytes_sent = whole<std::uint64_t>(json.at("bytes_sent"), fits);
  record.slice_bytes = whole<std::uint64_t>(json.at("slice_bytes"), fits);
  if (json.contains("exchange_bytes")) record.exchange_bytes = whole<std::uint64_t>(json.at("exchange_bytes"), fits);
  const auto& compute = json.at("compute_seconds");
  const auto& wait = json.at("wait_seconds");
  fits = fits && compute.is_array() && wait.is_array() && compute.size() == wait.size();
  // What an earlier version did not record is 0.
  const auto has = [&](const char* name) { return json.contains(name) && json.at(name).size() == compute.size(); };
  for (std::size_t i = 0; fits && i < compute.size(); ++i) {
    WorkerTimes& worker = record.workers.emplace_back();
    worker.compute_seconds = real(compute[i]);
    worker.wait_seconds = real(wait[i]);
    if (has("wire_seconds")) worker.wire_seconds = real(json.at("wire_seconds")[i]);
    if (has("memory_bytes")) worker.memory = whole<std::uint64_t>(json.at("memory_bytes")[i], fits);
    if (has("peak_memory_bytes")) worker.peak_memory = whole<std::uint64_t>(json.at("peak_memory_bytes")[i], fits);
  }
  record.slowest = json.at("slowest").get<std::string>();
  record.waiting_share = real(json.at("waiting"));
  return record;
}

nlohmann::ordered_json json_of(const std::vector<HashedFile>& files) {
  auto json = nlohmann::ordered_json::array();
  for (const HashedFile& file : files)
    json.push_back({{"file", exact_text(file.file)}, {"bytes", file.bytes}, {"xxh3", file.hash.hex()}});
  return json;
}

// Throws the library's exceptions on a wrong type.
std::vector<HashedFile> files_from_json(const nlohmann::json& json, bool& fits) {
  std::vector<HashedFile> files;
  fits = fits && json.is_array();
  for (const auto& file : json) {
    const auto name = exact_text_of(file.at("file"));
    const auto hash = Hash128::from_hex(file.at("xxh3").get<std::string>());
    fits = fits && name && hash;
    if (fits) files.push_back({*name, whole<std::uint64_t>(file.at("bytes"), fits), *hash});
  }
  return files;
}

}  // namespace

std::vector<Fact> facts_from_json(const nlohmann::json& json) {
  std::vector<Fact> facts;
  for (const auto& [name, value] : json.get<std::map<std::string, nlohmann::json>>())
    facts.push_back({name, Fact::Kind::sum,
                     value.is_array() ? value.get<std::vector<double>>() : std::vector<double>{value.get<double>()}});
  return facts;
}

nlohmann::ordered_json to_json(const CommitRecord& record) {
  nlohmann::ordered_json json;
  json["epoch"] = record.epoch;
  json["next_round"] = record.next_round;
  json["seconds"] = record.seconds;
  json["items"] = record.items;
  json["app"] = exact_text(record.app);
  json["job"] = record.job.hex();
  json["input"] = record.input.hex();
  json["valid"] = record.valid.hex();
  json["model_hash"] = record.model_hash.hex();
  json["state_hash"] = record.state_hash.hex();
  if (record.ends_job) json["ends_job"] = true;
  json["facts"] = nlohmann::ordered_json::object();
  for (const Fact& fact : record.facts) {
    auto& value = json["facts"][visible_text(fact.name)];
    if (fact.values.size() == 1)
      value = fact.values.front();
    else
      value = fact.values;
  }
  json["files"] = json_of(record.files);
  return json;
}

nlohmann::ordered_json manifest_of(const CommitRecord& record, const JobConfig& config) {
  nlohmann::ordered_json manifest = to_json(record);
  manifest["seed"] = config.seed;
  manifest["shards"] = config.shards;
  manifest["slices"] = config.slices;
  manifest["partitions"] = config.partitions;
  for (const auto& [name, value] : config.options.all()) manifest["options"][name] = exact_text(value);
  return manifest;
}

std::string commit_to_text(const CommitRecord& record) {
  nlohmann::ordered_json json = to_json(record);
  if (!record.objects.empty()) json["objects"] = json_of(record.objects);
  json["record"] = to_json(record.record);
  return seal(json, kCommitFormat);
}

Result<CommitRecord> commit_from_text(const std::string& text) {
  const Status damaged(ExitCode::disk, "damaged: a field is missing or of another type");
  ROTA_ASSIGN(const nlohmann::json json, unseal(text, kCommitFormat));
  // The library throws on a wrong type.
  try {
    bool fits = true;
    CommitRecord record;
    record.epoch = whole<Epoch>(json.at("epoch"), fits);
    for (const char* name : {"next_round", "items"})
      if (const auto& value = json.at(name); value.is_number_unsigned() && value.get<std::uint64_t>() > kMostCounted)
        return Status(ExitCode::disk, "damaged: " + std::string(name) + ", " + value.dump() + ", cannot be");
    record.next_round = whole(json.at("next_round"), fits, kMostCounted);
    record.seconds = json.at("seconds").get<double>();
    fits = fits && record.seconds >= 0;
    record.items = whole(json.at("items"), fits, kMostCounted);
    record.ends_job = json.value("ends_job", false);
    for (const auto& [name, to] : {std::pair("job", &record.job),
                                   {"model_hash", &record.model_hash},
                                   {"state_hash", &record.state_hash},
                                   {"input", &record.input},
                                   {"valid", &record.valid}}) {
      const auto hash = Hash128::from_hex(json.at(name).get<std::string>());
      if (!hash) return damaged;
      *to = *hash;
    }
    const auto app = exact_text_of(json.at("app"));
    if (!app) return damaged;
    record.app = *app;
    record.facts = facts_from_json(json.at("facts"));
    record.record = epoch_from_json(json.at("record"), fits);
    record.files = files_from_json(json.at("files"), fits);
    if (json.contains("objects")) record.objects = files_from_json(json.at("objects"), fits);
    // What leads out of the epoch's own folder is not Rota's.
    for (std::uint32_t i = 0; i < record.files.size(); ++i)
      if (const std::string& name = record.files[i].file; !RunFolder::is_partition_of(name, record.epoch, i))
        return Status(ExitCode::disk, "damaged: '" + name + "' is not the name of a file of this epoch");
    return fits ? Result<CommitRecord>(std::move(record)) : damaged;
  } catch (const nlohmann::json::exception&) {
    return damaged;
  }
}

}  // namespace rota
