// core/job/packed_folder.h -- data by shard: its index, which says whose it is, how it was read, and what its files
// are; and a folder of it, opened for a job, whose files are read when they are asked for, and checked.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/flags.h"
#include "core/base/hash.h"
#include "core/base/status.h"
#include "rota/plugin.h"
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

class PackedFolder final : public PackedData {
 public:
  PackedFolder(std::filesystem::path folder, PackedIndex index)
      : folder_(std::move(folder)), index_(std::move(index)) {}

  const PackedIndex& index() const { return index_; }
  std::string name() const override { return (folder_ / kPackedIndex).string(); }

 protected:
  File common_file() const override;
  File shard_file(ShardId shard) const override;

 private:
  File open(const std::string& name, const PackedIndex::File& file) const;

  std::filesystem::path folder_;
  PackedIndex index_;
};

// Opens the folder of `index_file`, for a job of that plugin with these shards and options.  ExitCode::bad_data
// if it is damaged, another app's, or of another version of the app; usage if shards or options differ.
Result<std::shared_ptr<const PackedFolder>> open_packed(const std::filesystem::path& folder, const Plugin& plugin,
                                                        const Job& job);

// The same, of the options of a job whose --input names such a folder.
Status check_packed(const Options& options, const Plugin& plugin);

// If --input names data by shard: sets the options that the user did not give to those that the data was packed with:
// --shards, the app's options, --valid.  ExitCode::usage if the user gave another value; bad_data if the index is
// damaged.  Of `any_plugin_option`s the values are not compared: their plain form is unknown here.
Status take_packed(CommandLine& line, const FlagTables& tables);

}  // namespace rota
