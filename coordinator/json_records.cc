#include "coordinator/json_records.h"

#include <charconv>
#include <limits>
#include <optional>

#include "base/sealed_json.h"

namespace rota {

namespace {

std::optional<Hash128> hash_from(const std::string& hex) {
  Hash128 hash;
  const auto half = [&](std::size_t at, std::uint64_t& to) {
    const auto [end, error] = std::from_chars(hex.data() + at, hex.data() + at + 16, to, 16);
    return error == std::errc{} && end == hex.data() + at + 16;
  };
  if (hex.size() != 32 || !half(0, hash.high) || !half(16, hash.low)) return std::nullopt;
  return hash;
}

// A whole number up to `most`; anything else sets `fits` to false, because the library would make it fit.
std::uint64_t whole(const nlohmann::json& value, std::uint64_t most, bool& fits) {
  fits = fits && value.is_number_unsigned() && value.get<std::uint64_t>() <= most;
  return fits ? value.get<std::uint64_t>() : 0;
}

nlohmann::ordered_json by_name(const std::vector<std::pair<std::string, double>>& values) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : values) json[name] = value;
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
  if (!record.figures.empty()) json["schedule"] = by_name(record.figures);
  json["items"] = record.items;
  json["items_unit"] = record.items_unit;
  json["items_per_second"] = record.items_per_second;
  json["bytes_sent"] = record.bytes_sent;
  json["slice_bytes"] = record.slice_bytes;
  json["workers"] = record.workers.size();
  json["compute_seconds"] = nlohmann::ordered_json::array();
  json["wait_seconds"] = nlohmann::ordered_json::array();
  for (const WorkerTimes& worker : record.workers) {
    json["compute_seconds"].push_back(worker.compute_seconds);
    json["wait_seconds"].push_back(worker.wait_seconds);
  }
  json["slowest"] = record.slowest;
  json["waiting"] = record.waiting_share;
  return json;
}

nlohmann::ordered_json to_json(const CommitRecord& record) {
  nlohmann::ordered_json json;
  json["epoch"] = record.epoch;
  json["next_round"] = record.next_round;
  json["seconds"] = record.seconds;
  json["items"] = record.items;
  json["job"] = record.job.hex();
  json["model_hash"] = record.model_hash.hex();
  json["state_hash"] = record.state_hash.hex();
  if (record.ends_job) json["ends_job"] = true;
  json["files"] = nlohmann::ordered_json::array();
  for (const CommittedFile& file : record.files)
    json["files"].push_back({{"file", file.file}, {"bytes", file.bytes}, {"xxh3", file.hash.hex()}});
  return json;
}

std::string commit_to_text(const CommitRecord& record) {
  return seal(to_json(record), kCommitFormat);
}

Result<CommitRecord> commit_from_text(const std::string& text) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  const Status damaged(ExitCode::disk, "damaged: a field is missing or of another type");
  const auto read = unseal(text, kCommitFormat);
  if (!read.ok()) return read.status();
  const nlohmann::json& json = *read;
  // The library throws on a wrong type.
  try {
    bool fits = true;
    CommitRecord record;
    record.epoch = static_cast<Epoch>(whole(json.at("epoch"), std::numeric_limits<Epoch>::max(), fits));
    record.next_round = whole(json.at("next_round"), kMost, fits);
    record.seconds = json.at("seconds").get<double>();
    record.items = whole(json.at("items"), kMost, fits);
    record.ends_job = json.value("ends_job", false);
    const auto job = hash_from(json.at("job").get<std::string>());
    const auto model = hash_from(json.at("model_hash").get<std::string>());
    const auto state = hash_from(json.at("state_hash").get<std::string>());
    if (!job || !model || !state) return damaged;
    record.job = *job;
    record.model_hash = *model;
    record.state_hash = *state;
    fits = fits && json.at("files").is_array();
    for (const auto& file : json.at("files")) {
      const auto hash = hash_from(file.at("xxh3").get<std::string>());
      if (!hash) return damaged;
      record.files.push_back({file.at("file").get<std::string>(), whole(file.at("bytes"), kMost, fits), *hash});
    }
    return fits ? Result<CommitRecord>(std::move(record)) : damaged;
  } catch (const nlohmann::json::exception&) {
    return damaged;
  }
}

}  // namespace rota
