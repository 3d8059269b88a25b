// core/base/hashed_file.h -- a file by name, and what it must be: by that a copy is told from what is damaged or old.
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
