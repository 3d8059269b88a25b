#include "core/base/file_hash.h"

#include <fcntl.h>
#include <xxhash.h>

#include <memory>
#include <system_error>
#include <vector>

#include "core/base/files.h"
#include "rota/bytes.h"

namespace rota {

Result<FileHash> hash_file(const std::filesystem::path& path) {
  const auto fd = open_file(path, O_RDONLY);
  if (fd.status().code() == ExitCode::temporary) return fd.status();
  if (!fd.ok()) return Status(ExitCode::disk, fd.status().what());
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  XXH3_128bits_reset(state.get());
  FileHash file;
  std::vector<std::byte> block(std::size_t{1} << 16);
  while (true) {
    ROTA_ASSIGN(const auto n, read_bytes(*fd, block, path));
    if (n == 0) break;
    XXH3_128bits_update(state.get(), block.data(), n);
    file.bytes += n;
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  file.hash = {hash.low64, hash.high64};
  return file;
}

Result<Hash128> hash_contents(std::span<const std::string> files, const std::function<bool(const std::string&)>& apart,
                              const std::function<Result<FileHash>(const std::string&)>& measure_apart) {
  Writer all;
  for (const std::string& name : files) {
    std::error_code error;
    FileHash file;
    if (apart != nullptr && apart(name)) {
      ROTA_ASSIGN(file, measure_apart(name));
    } else if (std::filesystem::is_regular_file(name, error)) {
      auto measured = hash_file(name);
      if (!measured.ok()) return Status(ExitCode::no_input, measured.status().what());
      file = *measured;
    }
    all.put(file.bytes);
    all.put(file.hash.low);
    all.put(file.hash.high);
  }
  return hash128(all.view());
}

}  // namespace rota
