// apps/mf/score_kernel.cc -- see kernels.h.
//
// Factors of 16 items are stored side by side, factor after factor, so that a vector holds the same factor of several
// items and no product has to be summed across a vector.  That is done once for all users of a call.
#include "apps/mf/kernels.h"

namespace rota::mf::ROTA_LEVEL {
namespace {

// Lanes of the processor's vectors, the number of vectors in 16 lanes, and the number of users whose sums fit
// registers.
#if defined(__AVX512F__)
constexpr std::size_t kWidth = 16, kUsers = 8;
#elif defined(__AVX__)
constexpr std::size_t kWidth = 8, kUsers = 4;
#else
constexpr std::size_t kWidth = 4, kUsers = 2;
#endif
constexpr std::size_t kParts = kScoreLanes / kWidth;
constexpr std::size_t kDepth = 64;  // factors at a time: a panel of 4 KiB stays in the first-level cache

#define ROTA_EACH_PART _Pragma("GCC unroll 4") for (std::size_t v = 0; v < kParts; ++v)
#define ROTA_EACH_USER _Pragma("GCC unroll 8") for (std::size_t u = 0; u < N; ++u)

using Part = float __attribute__((vector_size(kWidth * 4)));

// Panel: number k * 16 + i is factor k of item i.
struct Panel {
  float numbers[kDepth * kScoreLanes];
  std::size_t depth;
};

void lay_out(const Products& work, std::size_t item, std::size_t factor, Panel& panel) {
  panel.depth = work.width - factor < kDepth ? work.width - factor : kDepth;
  for (std::size_t i = 0; i < kScoreLanes; ++i) {
    // After the last item it is repeated: those products are not used.
    const std::size_t row = item + i < work.item_count ? item + i : work.item_count - 1;
    const float* const from = work.items + row * work.width + factor;
    for (std::size_t k = 0; k < panel.depth; ++k) panel.numbers[k * kScoreLanes + i] = from[k];
  }
}

// Adds the share of the panel's factors in the products of N users with its items.
template <std::size_t N>
[[gnu::always_inline]] inline void add(const Panel& panel, const float* users, const Products& work, bool first,
                                       float* out) {
  Part sums[N][kParts];
  ROTA_EACH_USER {
    ROTA_EACH_PART {
      sums[u][v] = Part{};
      if (!first) __builtin_memcpy(&sums[u][v], out + u * work.stride + v * kWidth, sizeof(Part));
    }
  }
  for (std::size_t k = 0; k < panel.depth; ++k) {
    Part q[kParts];
    ROTA_EACH_PART __builtin_memcpy(&q[v], panel.numbers + k * kScoreLanes + v * kWidth, sizeof(Part));
    ROTA_EACH_USER {
      const float p = users[u * work.width + k];
      ROTA_EACH_PART sums[u][v] += p * q[v];
    }
  }
  ROTA_EACH_USER {
    ROTA_EACH_PART __builtin_memcpy(out + u * work.stride + v * kWidth, &sums[u][v], sizeof(Part));
  }
}

}  // namespace

void score_rows(const Products& work) {
  Panel panel;
  for (std::size_t item = 0; item < work.item_count; item += kScoreLanes)
    for (std::size_t factor = 0; factor < work.width; factor += kDepth) {
      lay_out(work, item, factor, panel);
      const bool first = factor == 0;
      std::size_t u = 0;
      for (; u + kUsers <= work.user_count; u += kUsers)
        add<kUsers>(panel, work.users + u * work.width + factor, work, first, work.out + u * work.stride + item);
      for (; u < work.user_count; ++u)
        add<1>(panel, work.users + u * work.width + factor, work, first, work.out + u * work.stride + item);
    }
}

}  // namespace rota::mf::ROTA_LEVEL
