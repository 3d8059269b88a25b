// cli/folders/packed_output.h -- the folder that `rota shard` writes data by shard into.
#pragma once
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/status.h"
#include "core/job/packed_folder.h"
#include "rota/packed.h"

namespace rota {

// Takes files durably, each under its own name once it is whole; the index comes last, so that a folder with one has
// all that it names.  What goes wrong is kept for end().
class PackedOutput final : public DataPacker {
 public:
  // The folder is made if need be.  ExitCode::cannot_write if there is anything in it that `rota shard` did not write,
  // or another `rota` is at work there.  Nothing in it is touched before there is data.
  static Result<PackedOutput> open(std::filesystem::path folder, std::uint32_t shards);

  void common(std::span<const std::byte> bytes) override;
  void shard(ShardId shard, std::uint64_t items, std::span<const std::byte> bytes) override;

  const Status& status() const { return outcome_; }
  // There is no data: the folder goes again, if open() made it and nothing is in it.
  void give_up() const;
  // Writes the index, `rest` being what it says beside the files, and removes what earlier data left.  Returns it.
  // ExitCode::failed if not all files were given.
  Result<PackedIndex> end(PackedIndex rest);

 private:
  PackedOutput(std::filesystem::path folder, bool made, FileDescriptor claim, std::uint32_t shards)
      : folder_(std::move(folder)), made_(made), claim_(std::move(claim)), shards_(shards) {}
  PackedIndex::File write(const std::string& name, std::span<const std::byte> bytes);
  Status remove_others() const;

  std::filesystem::path folder_;
  bool made_;  // by open()
  FileDescriptor claim_;
  std::set<std::string> written_;  // files
  Status outcome_;
  PackedIndex::File common_;
  std::vector<PackedIndex::Shard> shards_;
};

}  // namespace rota
