// core/base/hashed_file.h -- a file by name, and its expected content: by that a damaged or old copy is detected.
#pragma once
#include <cstdint>
#include <string>

#include "core/base/hash.h"

namespace rota {

struct HashedFile {
  std::string file;  // relative to a folder that both sides know: of checkpoints, the run's
  std::uint64_t bytes = 0;
  Hash128 hash;

  friend bool operator==(const HashedFile&, const HashedFile&) = default;
};

}  // namespace rota
