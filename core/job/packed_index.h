// core/job/packed_index.h -- the index of data by shard: whose it is, how it was read, and what its files must be.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/base/status.h"
#include "rota/types.h"

namespace rota {

// The names in such a folder, which are part of the user's contract.
inline constexpr const char* kPackedIndex = "rota-shards.json";
inline constexpr const char* kPackedCommon = "common.rota-shard";
std::string packed_file(ShardId shard);
// Whether a file of that name can only be one of data by shard.
bool is_packed_file(std::string_view name);

struct PackedIndex {
  struct File {
    std::uint64_t bytes = 0;
    Hash128 hash;
  };
  struct Shard {
    File file;
    std::uint64_t items = 0;  // to report
  };

  std::string app;
  std::uint32_t format = 0;                                 // Plugin::packed_format
  std::string rota;                                         // the version that wrote it
  std::map<std::string, std::string, std::less<>> options;  // Plugin::packed_options
  Hash128 input, valid;                                     // of the contents that were read (hash_contents)
  bool has_valid = false;
  File common;
  std::vector<Shard> shards;
};

std::string encode_index(const PackedIndex& index);
// The index while the files are being written: they cannot be trained on.
std::string unfinished_index();
// Whether `rota shard` wrote it, finished or not.
bool is_index(const std::string& text);
// ExitCode::bad_data, without the file's name, if it is damaged or of another version of Rota.
Result<PackedIndex> decode_index(const std::string& text);

// Whether --input names a folder of data by shard: one with an index, or with files that only such a folder has.
bool is_packed_folder(const std::filesystem::path& folder);
// ExitCode::bad_data with the file's name.
Result<PackedIndex> read_index(const std::filesystem::path& folder);

}  // namespace rota
