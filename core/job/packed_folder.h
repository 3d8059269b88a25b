// core/job/packed_folder.h -- data by shard, opened for a job: files are read when they are asked for, and checked.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "core/base/flags.h"
#include "core/base/status.h"
#include "core/job/packed_index.h"
#include "rota/plugin.h"

namespace rota {

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
