#include "cli/folders/packed_output.h"

#include <string>
#include <system_error>

#include "core/job/run_lock.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kIndexBytesMax = std::size_t{256} << 20;

Status refused(const fs::path& folder, const std::string& what) {
  return {ExitCode::cannot_write, folder.string() + " " + what + ": choose another --output"};
}

bool is_ours(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.symlink_status(error).type() == fs::file_type::regular &&
         is_packed_file(finished_name(entry.path().filename().string()));
}

// Empty, or with an index of ours and nothing but files of the names that belong to it.
Status check_folder(const fs::path& folder) {
  bool any = false;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    any = true;
    if (!is_ours(*at))
      return refused(folder, "holds " + at->path().filename().string() + ", which `rota shard` did not write");
  }
  if (error) return refused(folder, "cannot be read: " + error.message());
  if (!any) return {};
  const auto text = read_whole_file(folder / kPackedIndex, kIndexBytesMax);
  if (!text.ok() || !is_index(*text)) return refused(folder, "contains files not created by Rota");
  return {};
}

}  // namespace

Result<PackedOutput> PackedOutput::open(fs::path folder, std::uint32_t shards) {
  std::error_code error;
  const bool made = fs::symlink_status(folder, error).type() == fs::file_type::not_found;
  ROTA_TRY(make_folder(folder));
  ROTA_ASSIGN(auto claim, claim_folder(folder));
  ROTA_TRY(check_folder(folder));
  return PackedOutput(std::move(folder), made, std::move(claim), shards);
}

void PackedOutput::give_up() const {
  std::error_code error;
  if (made_) fs::remove(folder_, error);  // which fails if anything is in it
}

void PackedOutput::common(std::span<const std::byte> bytes) {
  common_ = write(kPackedCommon, bytes);
}

void PackedOutput::shard(ShardId shard, std::uint64_t items, std::span<const std::byte> bytes) {
  if (shard >= shards_.size()) {
    if (outcome_.ok())
      outcome_ = {ExitCode::failed,
                  "plugin: pack made a shard " + std::to_string(shard) + " of " + std::to_string(shards_.size())};
    return;
  }
  shards_[shard] = {write(packed_file(shard), bytes), items};
}

PackedIndex::File PackedOutput::write(const std::string& name, std::span<const std::byte> bytes) {
  // From now on the files are not those of an earlier index.
  if (outcome_.ok() && written_.empty()) outcome_ = write_atomically(folder_ / kPackedIndex, unfinished_index());
  if (!outcome_.ok()) return {};
  written_.insert(name);
  outcome_ = write_atomically(folder_ / name, bytes);
  return {bytes.size(), hash128(bytes)};
}

Status PackedOutput::remove_others() const {
  std::error_code error;
  std::vector<fs::path> others;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name != kPackedIndex && !written_.contains(name) && is_ours(*at)) others.push_back(at->path());
  }
  for (const fs::path& path : others)
    if (!fs::remove(path, error) && error)
      return {ExitCode::cannot_write, "cannot remove " + path.string() + ": " + error.message()};
  return sync_folder(folder_);
}

Result<PackedIndex> PackedOutput::end(PackedIndex rest) {
  ROTA_TRY(outcome_);
  for (ShardId s = 0; s < shards_.size(); ++s)
    if (!written_.contains(packed_file(s))) return Status(ExitCode::failed, "plugin: pack made no " + packed_file(s));
  if (!written_.contains(kPackedCommon)) return Status(ExitCode::failed, "plugin: pack made no common data");
  rest.common = common_;
  rest.shards = shards_;
  ROTA_TRY(remove_others());
  ROTA_TRY(write_atomically(folder_ / kPackedIndex, encode_index(rest)));
  return rest;
}

}  // namespace rota
