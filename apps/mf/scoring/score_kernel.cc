// apps/mf/scoring/score_kernel.cc -- ROTA_MF_SCORES is the name of the function that this copy defines.
#include "apps/mf/scoring/score_kernel.h"

namespace rota::mf {

void ROTA_MF_SCORES(const Products& work);

namespace {

using Lanes = float __attribute__((vector_size(64)));
constexpr std::size_t kLanes = 16;

[[gnu::always_inline]] inline Lanes load(const float* at) {
  Lanes value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

// Lane i and lane i + 8, i and i + 4, i and i + 2, and the last two.
[[gnu::always_inline]] inline float sum(const Lanes& x) {
  float lanes[kLanes];
  __builtin_memcpy(lanes, &x, sizeof lanes);
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

// kUsers at once, so that an item's factors are read for all of them.
template <std::size_t kUsers>
void score(const Products& work, std::size_t first) {
  for (std::size_t i = 0; i < work.item_count; ++i) {
    const float* const item = work.items + i * work.width;
    const float* const user = work.users + first * work.width;
    Lanes sums[kUsers] = {};
    for (std::size_t c = 0; c < work.width; c += kLanes) {
      const Lanes q = load(item + c);
      for (std::size_t u = 0; u < kUsers; ++u) sums[u] += load(user + u * work.width + c) * q;
    }
    for (std::size_t u = 0; u < kUsers; ++u) work.out[(first + u) * work.item_count + i] = sum(sums[u]);
  }
}

}  // namespace

void ROTA_MF_SCORES(const Products& work) {
  std::size_t u = 0;
  for (; u + 4 <= work.user_count; u += 4) score<4>(work, u);
  for (; u < work.user_count; ++u) score<1>(work, u);
}

}  // namespace rota::mf
