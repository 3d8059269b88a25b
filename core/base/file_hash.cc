#include "core/base/file_hash.h"

#include <xxhash.h>

#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

#include "rota/bytes.h"

namespace rota {

Result<FileHash> hash_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Status(ExitCode::disk, path.string() + ": cannot be opened");
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  XXH3_128bits_reset(state.get());
  FileHash file;
  std::vector<char> block(std::size_t{1} << 20);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0) {
    XXH3_128bits_update(state.get(), block.data(), static_cast<std::size_t>(in.gcount()));
    file.bytes += static_cast<std::uint64_t>(in.gcount());
  }
  if (in.bad()) return Status(ExitCode::disk, path.string() + ": cannot be read");
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  file.hash = {hash.low64, hash.high64};
  return file;
}

Result<Hash128> hash_contents(std::span<const std::string> files) {
  Writer all;
  for (const std::string& name : files) {
    std::error_code error;
    FileHash file;
    if (std::filesystem::is_regular_file(name, error)) {
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
