// rota/random.h -- the seeded generator that the host passes to every hook.
//
// The host makes one for each task, from a key of (seed, hook, epoch, shard, slice or round), so a task's draws depend
// on the task and never on the process or the time.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace rota {

// xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021), inline
// because inner loops draw from it for every item.  Also a std::uniform_random_bit_generator.
class Random {
 public:
  using result_type = std::uint64_t;

  // Two seeds that differ anywhere give unrelated streams if they come from a good mixer (core/base/seed.h).
  explicit Random(const std::array<std::uint64_t, 4>& seed) : state_(seed) {
    if ((state_[0] | state_[1] | state_[2] | state_[3]) == 0) state_[0] = 1;  // the one state it cannot leave
  }

  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }

  std::uint64_t operator()() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  // In [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
  // In [0, 1), a multiple of 2^-24.
  float uniform_float() { return static_cast<float>((*this)() >> 40) * 0x1p-24F; }
  // In 0 .. bound-1; bound must not be 0.  Multiply-shift: its bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>((*this)()) * bound) >> 64);
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace rota
