// tests/sim/memory_disk.h -- a disk of a simulated cluster, and what a power cut leaves of it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/job/run_folder.h"
#include "core/wire/message.h"
#include "kvstore/partition.h"

namespace rota::sim {

// A file, and bytes that stand for it where it goes from disk to disk: all that have the same bytes are the same file.
struct MemoryFile {
  std::map<std::pair<Object, std::uint64_t>, Bytes> objects;
  std::optional<Rows> rows;
  Bytes bytes;
};

// All files of a cluster that were ever written, by the hash of their bytes.
using MemoryContents = std::map<Hash128, MemoryFile>;

// The files of checkpoints on a disk, by name.  What a piece of work writes is there at once, and outlives the process;
// a power cut may take it until the work has ended, which is when it is synced.
struct MemoryDisk {
  explicit MemoryDisk(std::shared_ptr<MemoryContents> all = std::make_shared<MemoryContents>())
      : contents(std::move(all)) {}

  void put(const std::string& name, MemoryFile file) {
    files[name] = std::move(file);
    unsynced.insert(name);
    just_written.push_back(name);
  }
  std::vector<std::string> take_written() { return std::exchange(just_written, {}); }
  void sync(const std::vector<std::string>& names) {
    for (const std::string& name : names) unsynced.erase(name);
  }
  // Of what is not synced the name is gone, or only a part is there, or all of it.
  void cut_power(std::mt19937_64& random) {
    for (const std::string& name : std::exchange(unsynced, {})) {
      const auto file = files.find(name);
      if (file == files.end()) continue;
      const auto left = random() % 3;
      if (left == 0) files.erase(file);
      if (left == 1) file->second.bytes = file->second.bytes.part(0, file->second.bytes.size() / 2);
    }
    unfinished.clear();
  }

  std::map<std::string, MemoryFile> files;
  std::map<std::string, std::vector<std::byte>> unfinished;
  std::set<std::string> unsynced;
  std::vector<std::string> just_written;
  std::function<bool()> is_full;  // asked at every write
  std::shared_ptr<MemoryContents> contents;
};

inline std::string memory_file(Epoch epoch, std::uint32_t partition, std::uint64_t era) {
  return (RunFolder{}.checkpoint(epoch).filename() / RunFolder::partition_file(partition, era)).string();
}

inline Status no_space() {
  return {ExitCode::disk, "no space left on the simulated disk"};
}

}  // namespace rota::sim
