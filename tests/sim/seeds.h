// tests/sim/seeds.h -- which seeds a simulation runs: ROTA_SIM_SEEDS=N says how many (500), ROTA_SIM_FIRST=S with which
// they begin (1), so that long runs can be cut; ROTA_SIM_SEED=S replays one, with a line for each message.
#pragma once
#include <cstdint>
#include <cstdlib>

namespace rota::sim {

struct Seeds {
  std::uint64_t first = 1, count = 500;
  bool replay = false;
};

inline Seeds seeds_from_environment() {
  Seeds seeds;
  const auto read = [](const char* name, std::uint64_t& number) {
    const char* text = std::getenv(name);
    if (text != nullptr) number = std::strtoull(text, nullptr, 10);
    return text != nullptr;
  };
  if (read("ROTA_SIM_SEED", seeds.first)) {
    seeds.count = 1;
    seeds.replay = true;
    return seeds;
  }
  read("ROTA_SIM_FIRST", seeds.first);
  read("ROTA_SIM_SEEDS", seeds.count);
  return seeds;
}

}  // namespace rota::sim
