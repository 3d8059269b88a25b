// tests/fuzz/seeds.h -- inputs that the decoders take, for fuzzing to begin with.
#pragma once
#include <array>
#include <cstddef>
#include <vector>

namespace rota::fuzz {

using Input = std::vector<std::byte>;

std::vector<Input> checkpoint_seeds();  // the file of the model of the manifest's seed

struct Seeds {
  const char* name;  // of the entry point
  std::vector<Input> (*make)();
};
extern const std::array<Seeds, 10> kSeeds;

}  // namespace rota::fuzz
