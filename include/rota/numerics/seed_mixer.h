// rota/numerics/seed_mixer.h -- random numbers that depend only on their purpose: a seed and identifying numbers.
#pragma once
#include <cstdint>
#include <initializer_list>

#include "rota/random.h"

namespace rota {

// One step of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
inline std::uint64_t next_mixed(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

inline std::uint64_t mixed(std::initializer_list<std::uint64_t> names) {
  std::uint64_t state = 0;
  for (const std::uint64_t name : names) state = next_mixed(state) ^ name;
  return next_mixed(state);
}

inline Random random_from(std::uint64_t seed) {
  return Random({next_mixed(seed), next_mixed(seed), next_mixed(seed), next_mixed(seed)});
}
// A generator for the thing that these numbers identify.
inline Random random_named(std::initializer_list<std::uint64_t> names) {
  return random_from(mixed(names));
}

}  // namespace rota
