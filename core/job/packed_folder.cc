#include "core/job/packed_folder.h"

#include <fcntl.h>

#include <exception>
#include <system_error>

#include "core/base/files.h"
#include "core/base/json_text.h"
#include "rota/error.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr unsigned kFormat = 1;
constexpr std::size_t kIndexBytesMax = std::size_t{256} << 20;
constexpr std::size_t kMostShards = 65'536;
constexpr const char* kWhat = "data by shard, which `rota shard` made; `rota shard` may replace it";
constexpr std::string_view kSuffix = ".rota-shard";

nlohmann::ordered_json json_of(const std::string& name, const PackedIndex::File& file) {
  nlohmann::ordered_json json;
  json["file"] = name;
  json["bytes"] = file.bytes;
  json["xxh3"] = file.hash.hex();
  return json;
}

bool is_index(const nlohmann::json& json) {
  const auto what = json.find("what");
  return what != json.end() && *what == kWhat;
}

Hash128 hash_in(const nlohmann::json& json) {
  return Hash128::from_hex(json.get<std::string>()).value();
}

PackedIndex::File file_in(const nlohmann::json& json) {
  return {json.at("bytes").get<std::uint64_t>(), hash_in(json.at("xxh3"))};
}

// Throws if a field is missing or of another type: a checksum does not rule out another program's index.
PackedIndex index_in(const nlohmann::json& json) {
  PackedIndex index;
  index.app = exact_text_of(json.at("app")).value();
  index.format = json.at("packed_format").get<std::uint32_t>();
  index.rota = exact_text_of(json.at("rota")).value();
  for (const auto& [name, value] : json.at("options").items()) index.options[name] = exact_text_of(value).value();
  index.input = hash_in(json.at("input"));
  index.valid = hash_in(json.at("valid"));
  index.has_valid = json.at("has_valid").get<bool>();
  index.common = file_in(json.at("common"));
  for (const nlohmann::json& one : json.at("shards"))
    index.shards.push_back({file_in(one), one.at("items").get<std::uint64_t>()});
  return index;
}

Status other_value(const std::string& folder, std::string_view name, std::string_view given, std::string_view packed) {
  const auto shown = [](std::string_view value) { return value.empty() ? "none" : std::string(value); };
  return {ExitCode::usage, "--" + std::string(name) + "=" + shown(given) + ": the data by shard in " + folder +
                               " was made with " + shown(packed) +
                               "; omit the option, or write other data with `rota shard`"};
}

// The held-out data comes with the shards: the same folder, or not given.
Status take_valid(const std::string& folder, const PackedIndex& index,
                  std::map<std::string, std::string, std::less<>>& values) {
  std::string& valid = values["valid"];
  std::error_code error;
  if (!index.has_valid && !valid.empty())
    return {ExitCode::usage, "--valid=" + valid + ": the data by shard in " + folder +
                                 " has no held-out data; `rota shard` takes it with --valid"};
  if (index.has_valid && !valid.empty() && !fs::equivalent(valid, folder, error))
    return {ExitCode::usage,
            "--valid=" + valid + ": the data by shard in " + folder + " has its own held-out data; omit the option"};
  if (index.has_valid) valid = folder;
  return {};
}

}  // namespace

std::string packed_file(ShardId shard) {
  const std::string digits = std::to_string(shard);
  return "shard-" + std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits + std::string(kSuffix);
}

bool is_packed_file(std::string_view name) {
  return name == kPackedIndex || name.ends_with(kSuffix);
}

std::string encode_index(const PackedIndex& index) {
  nlohmann::ordered_json json;
  json["what"] = kWhat;
  json["app"] = exact_text(index.app);
  json["packed_format"] = index.format;
  json["rota"] = exact_text(index.rota);
  json["options"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : index.options) json["options"][name] = exact_text(value);
  json["input"] = index.input.hex();
  json["valid"] = index.valid.hex();
  json["has_valid"] = index.has_valid;
  json["common"] = json_of(kPackedCommon, index.common);
  for (ShardId s = 0; s < index.shards.size(); ++s) {
    nlohmann::ordered_json shard = json_of(packed_file(s), index.shards[s].file);
    shard["items"] = index.shards[s].items;
    json["shards"].push_back(std::move(shard));
  }
  return seal(json, kFormat);
}

std::string unfinished_index() {
  nlohmann::ordered_json json;
  json["what"] = kWhat;
  json["unfinished"] = true;
  return seal(json, kFormat);
}

bool is_index(const std::string& text) {
  const auto json = unseal(text, kFormat);
  return json.ok() && is_index(*json);
}

Result<PackedIndex> decode_index(const std::string& text) {
  auto json = unseal(text, kFormat);
  if (!json.ok()) return Status(ExitCode::bad_data, json.status().what());
  if (is_index(*json) && json->contains("unfinished"))
    return Status(ExitCode::bad_data, "`rota shard` has not finished writing the data by shard here");
  try {
    PackedIndex index = index_in(*json);
    // What has another name or type than ours would be written otherwise.
    const bool is_ours = unseal(encode_index(index), kFormat).value() == *json && index.format > 0;
    if (is_ours && !index.shards.empty() && index.shards.size() <= kMostShards) return index;
  } catch (const std::exception&) {
  }
  return Status(ExitCode::bad_data, "not a shard index");
}

bool is_packed_folder(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) &&
         (fs::exists(folder / kPackedIndex, error) || fs::exists(folder / kPackedCommon, error));
}

Result<PackedIndex> read_index(const fs::path& folder) {
  const fs::path file = folder / kPackedIndex;
  auto text = read_whole_file(file, kIndexBytesMax);
  if (!text.ok()) return Status(ExitCode::bad_data, text.status().what());
  return decode_index(*text).in(file.string());
}

PackedData::File PackedFolder::common_file() const {
  return open(kPackedCommon, index_.common);
}

PackedData::File PackedFolder::shard_file(ShardId shard) const {
  if (shard >= index_.shards.size()) throw DataError(name(), 0, "it has no shard " + std::to_string(shard));
  return open(packed_file(shard), index_.shards[shard].file);
}

// In one go: a file that were mapped could become shorter, and that would be a crash.
PackedData::File PackedFolder::open(const std::string& name, const PackedIndex::File& file) const {
  const std::string path = (folder_ / name).string();
  const auto fd = open_file(path, O_RDONLY);
  if (!fd.ok()) throw DataError(path, 0, fd.status().what() + ", and " + std::string(kPackedIndex) + " names it");
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error || size != file.bytes)
    throw DataError(path, 0,
                    "it has " + std::to_string(error ? 0 : size) + " bytes, and by " + kPackedIndex + " has " +
                        std::to_string(file.bytes) + ": damaged");
  const std::shared_ptr<std::byte[]> bytes = std::make_shared_for_overwrite<std::byte[]>(size);
  const std::span<std::byte> view(bytes.get(), size);
  const auto read = read_bytes(*fd, view, path);
  if (!read.ok() || *read != size || hash128(view) != file.hash)
    throw DataError(path, 0, "it differs from its hash in " + std::string(kPackedIndex) + ": damaged");
  return {path, Bytes(bytes, view)};
}

Result<std::shared_ptr<const PackedFolder>> open_packed(const fs::path& folder, const Plugin& plugin, const Job& job) {
  ROTA_ASSIGN(auto index, read_index(folder));
  const std::string file = (folder / kPackedIndex).string(), app(plugin.name);
  if (plugin.packed_format == 0) return Status(ExitCode::usage, "the app " + app + " has no data by shard");
  if (!plugin.takes_those_of(index.app))
    return Status(ExitCode::bad_data,
                  file + ": this is data by shard of the app " + index.app + ", and the app is " + app);
  if (index.format != plugin.packed_format)
    return Status(ExitCode::bad_data, file + ": it was written by another version of the app " + app + ": format " +
                                          std::to_string(index.format) + ", this one reads format " +
                                          std::to_string(plugin.packed_format) + "; write it again with `rota shard`");
  if (index.shards.size() != job.shards)
    return other_value(folder.string(), "shards", std::to_string(job.shards), std::to_string(index.shards.size()));
  for (const std::string_view name : plugin.packed_options) {
    const auto packed = index.options.find(name);
    const std::string_view value = job.options.text(name);
    if (packed == index.options.end()) return Status(ExitCode::bad_data, file + ": it lacks --" + std::string(name));
    if (packed->second != value) return other_value(folder.string(), name, value, packed->second);
  }
  return std::shared_ptr<const PackedFolder>(std::make_shared<const PackedFolder>(folder, std::move(index)));
}

Status check_packed(const Options& options, const Plugin& plugin) {
  Job job;
  job.options = options;
  job.shards = static_cast<std::uint32_t>(options.integer("shards"));
  return open_packed(fs::path(options.text("input")), plugin, job).status();
}

Status take_packed(CommandLine& line, const FlagTables& tables) {
  const std::string folder(line.options.text("input"));
  auto values = line.options.all();
  if (!is_packed_folder(folder)) {
    if (const std::string& valid = values["valid"]; !valid.empty() && is_packed_folder(valid))
      return {ExitCode::usage, "--valid=" + valid + ": this is data by shard, and --input is not"};
    return {};
  }
  ROTA_ASSIGN(const auto index, read_index(folder));
  std::map<std::string, std::string, std::less<>> packed = index.options;
  packed["shards"] = std::to_string(index.shards.size());
  for (const auto& [name, value] : packed) {
    if (!line.given.contains(name) || (name == "shards" && values[name] == "0")) {
      values[name] = value;
      if (!value.empty()) line.given[name] = value;
    } else if (!(tables.any_plugin_option && name != "shards") && values[name] != value) {
      return other_value(folder, name, values[name], value);
    }
  }
  ROTA_TRY(take_valid(folder, index, values));
  line.options = Options(std::move(values));
  return {};
}

}  // namespace rota
