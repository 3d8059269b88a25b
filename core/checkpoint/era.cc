#include "core/checkpoint/era.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "core/base/files.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kEraBytesMax = 64;

std::uint64_t stored(const RunFolder& run) {
  const auto text = read_whole_file(run.era(), kEraBytesMax);
  std::uint64_t era = 0;
  if (text.ok()) std::from_chars(text->data(), text->data() + text->size(), era);
  return era;
}

// If the number is lost, the names of the files still have it.
std::uint64_t newest_named(const RunFolder& run) {
  std::uint64_t era = 0;
  for (const fs::path& folder : run.epochs()) {
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      era = std::max(era, RunFolder::era_of(at->path().filename().string()));
  }
  return era;
}

}  // namespace

Result<std::uint64_t> begin_era(const RunFolder& run) {
  const std::uint64_t era = std::max(stored(run), newest_named(run)) + 1;
  ROTA_TRY(write_atomically(run.era(), std::to_string(era) + "\n"));
  return era;
}

}  // namespace rota
