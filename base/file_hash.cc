#include "base/file_hash.h"

#include <xxhash.h>

#include <fstream>
#include <memory>
#include <vector>

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

}  // namespace rota
