// base/file_hash.h -- the hash of a file as it is on disk now.
#pragma once
#include <cstdint>
#include <filesystem>

#include "base/hash.h"
#include "base/status.h"

namespace rota {

struct FileHash {
  std::uint64_t bytes = 0;
  Hash128 hash;
};

// ExitCode::disk if it cannot be opened or read.
Result<FileHash> hash_file(const std::filesystem::path& path);

}  // namespace rota
