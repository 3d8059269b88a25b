#include "core/job/packed_index.h"

#include <limits>

#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/sealed_json.h"

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

// What a checksum cannot rule out is another program's index: a field that is missing or of another type.
struct Wrong {};

Hash128 hash_in(const nlohmann::json& json) {
  const auto hash = Hash128::from_hex(json.get<std::string>());
  if (!hash) throw Wrong();
  return *hash;
}

std::string text_in(const nlohmann::json& json) {
  auto text = exact_text_of(json);
  if (!text) throw Wrong();
  return *std::move(text);
}

std::uint64_t whole_in(const nlohmann::json& json) {
  if (!json.is_number_unsigned()) throw Wrong();
  return json.get<std::uint64_t>();
}

PackedIndex::File file_in(const nlohmann::json& json, const std::string& name) {
  if (json.at("file").get<std::string>() != name) throw Wrong();
  return {whole_in(json.at("bytes")), hash_in(json.at("xxh3"))};
}

PackedIndex index_in(const nlohmann::json& json) {
  PackedIndex index;
  if (json.at("what").get<std::string>() != kWhat) throw Wrong();
  index.app = text_in(json.at("app"));
  const std::uint64_t format = whole_in(json.at("packed_format"));
  if (format == 0 || format > std::numeric_limits<std::uint32_t>::max()) throw Wrong();
  index.format = static_cast<std::uint32_t>(format);
  index.rota = text_in(json.at("rota"));
  for (const auto& [name, value] : json.at("options").items()) index.options[name] = text_in(value);
  index.input = hash_in(json.at("input"));
  index.valid = hash_in(json.at("valid"));
  index.has_valid = json.at("has_valid").get<bool>();
  index.common = file_in(json.at("common"), kPackedCommon);
  const nlohmann::json& shards = json.at("shards");
  if (!shards.is_array() || shards.empty() || shards.size() > kMostShards) throw Wrong();
  for (const nlohmann::json& one : shards) {
    PackedIndex::Shard shard{file_in(one, packed_file(static_cast<ShardId>(index.shards.size()))),
                             whole_in(one.at("items"))};
    index.shards.push_back(std::move(shard));
  }
  return index;
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
  const auto what = json.ok() ? json->find("what") : nlohmann::json::const_iterator();
  return json.ok() && what != json->end() && *what == kWhat;
}

Result<PackedIndex> decode_index(const std::string& text) {
  auto json = unseal(text, kFormat);
  if (!json.ok()) return Status(ExitCode::bad_data, json.status().what());
  if (is_index(text) && json->contains("unfinished"))
    return Status(ExitCode::bad_data, "`rota shard` has not finished writing the data by shard here");
  try {
    return index_in(*json);
  } catch (const Wrong&) {
  } catch (const nlohmann::json::exception&) {
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

}  // namespace rota
