// core/base/file_hash.h -- the hash of a file as it is on disk now.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "core/base/hash.h"
#include "core/base/status.h"

namespace rota {

struct FileHash {
  std::uint64_t bytes = 0;
  Hash128 hash;
};

// ExitCode::disk if it cannot be opened or read, or is no regular file.
Result<FileHash> hash_file(const std::filesystem::path& path);

// Of what is in these files, one after the other: sizes and bytes count, names do not.  Of what is no regular file (a
// pipe would be read away), only that it is none.  ExitCode::no_input if one cannot be read.
// Those that are `apart` are measured by the second function.
Result<Hash128> hash_contents(std::span<const std::string> files,
                              const std::function<bool(const std::string&)>& apart = nullptr,
                              const std::function<Result<FileHash>(const std::string&)>& measure_apart = nullptr);

}  // namespace rota
