// apps/lda/sampler/kernel_lanes.h -- vectors of 16 lanes for cell_kernel.cc, its only user.
//
// All is in an unnamed namespace, because the kernel is compiled several times for different processors: each copy has
// its own, as wide as that processor's vectors.
#pragma once
#include <cstdint>

#include "apps/lda/sampler/cell_kernel.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace rota::lda {
namespace {

#define ROTA_INLINE [[gnu::always_inline]] inline

// Lanes of the processor's vectors, and how many of those make up the 16 lanes of the sums.
#if defined(__AVX512F__)
constexpr std::uint32_t kWidth = 16;
#elif defined(__AVX2__)
constexpr std::uint32_t kWidth = 8;
#else
constexpr std::uint32_t kWidth = 4;
#endif
constexpr std::uint32_t kParts = kLanes / kWidth;
#define ROTA_EACH_PART _Pragma("GCC unroll 4") for (std::uint32_t p = 0; p < kParts; ++p)

using PartFloats = float __attribute__((vector_size(kWidth * 4)));
using PartInts = std::int32_t __attribute__((vector_size(kWidth * 4)));
using PartWords = std::uint32_t __attribute__((vector_size(kWidth * 4)));
using PartShorts = std::uint16_t __attribute__((vector_size(kWidth * 2)));

template <typename V, typename T>
ROTA_INLINE V load(const T* at) {
  V v;
  __builtin_memcpy(&v, at, sizeof v);
  return v;
}
template <typename V, typename T>
ROTA_INLINE void store(T* at, const V& v) {
  __builtin_memcpy(at, &v, sizeof v);
}

struct Floats {
  ROTA_INLINE static Floats load_from(const float* at) {
    Floats v;
    ROTA_EACH_PART v.part[p] = load<PartFloats>(at + p * kWidth);
    return v;
  }
  ROTA_INLINE void store_to(float* at) const { ROTA_EACH_PART store(at + p * kWidth, part[p]); }
  ROTA_INLINE void add(const Floats& other) { ROTA_EACH_PART part[p] += other.part[p]; }

  PartFloats part[kParts]{};
};

ROTA_INLINE Floats operator*(const Floats& a, const Floats& b) {
  Floats v;
  ROTA_EACH_PART v.part[p] = a.part[p] * b.part[p];
  return v;
}
ROTA_INLINE PartInts widen_part(const PartShorts& numbers) {
#if defined(__AVX512F__)
  return reinterpret_cast<PartInts>(_mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(numbers)));
#elif defined(__AVX2__)
  return reinterpret_cast<PartInts>(_mm256_cvtepu16_epi32(reinterpret_cast<__m128i>(numbers)));
#else
  return __builtin_convertvector(numbers, PartInts);
#endif
}
ROTA_INLINE PartInts widen_part(const std::uint16_t* at) {
  return widen_part(load<PartShorts>(at));
}
ROTA_INLINE Floats widen(const std::uint16_t* at) {
  Floats v;
  ROTA_EACH_PART v.part[p] = __builtin_convertvector(widen_part(at + p * kWidth), PartFloats);
  return v;
}
ROTA_INLINE Floats widen(const std::uint32_t* at) {
  Floats v;
  ROTA_EACH_PART v.part[p] = __builtin_convertvector(load<PartWords>(at + p * kWidth), PartFloats);
  return v;
}

#if defined(__AVX512F__)
#define ROTA_LANES 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#elif defined(__AVX2__)
#define ROTA_LANES 0, 1, 2, 3, 4, 5, 6, 7
#else
#define ROTA_LANES 0, 1, 2, 3
#endif

// Changes one number in an array that is otherwise read in whole vectors.  A vector load that overlaps a smaller store
// just before it must wait until that store has reached the cache; so the whole vector is stored.
ROTA_INLINE void put_lane(float* numbers, std::uint32_t i, float value) {
  float* const at = numbers + i / kWidth * kWidth;
  const PartInts here = PartInts{ROTA_LANES} == static_cast<std::int32_t>(i % kWidth) - PartInts{};
  store(at, here ? value - PartFloats{} : load<PartFloats>(at));
}
ROTA_INLINE void add_to_lane(std::uint16_t* numbers, std::uint32_t i, std::uint16_t value) {
  std::uint16_t* const at = numbers + i / kWidth * kWidth;
  const auto here = PartShorts{ROTA_LANES} == static_cast<std::uint16_t>(i % kWidth) - PartShorts{};
  store(at, load<PartShorts>(at) + (reinterpret_cast<PartShorts>(here) & (value - PartShorts{})));
}
ROTA_INLINE void add_to_lane(std::uint32_t* numbers, std::uint32_t i, std::uint32_t value) {
  numbers[i] += value;
}

// The numbers at these places.  If 16 lanes are one vector a gather is faster than single loads; otherwise it is slower
// on some processors.
ROTA_INLINE PartFloats gather_part(const float* from, const std::uint16_t* at) {
#if defined(__AVX512F__)
  return reinterpret_cast<PartFloats>(_mm512_i32gather_ps(reinterpret_cast<__m512i>(widen_part(at)), from, 4));
#else
  PartFloats v;
  _Pragma("GCC unroll 8") for (std::uint32_t i = 0; i < kWidth; ++i) v[i] = from[at[i]];
  return v;
#endif
}

// The counts of these topics in a document.
ROTA_INLINE PartFloats gather_counts(const std::uint16_t* counts, const std::uint16_t* topics) {
#if defined(__SSE2__)
  // Each number goes from memory into its lane.  GCC would take the way over registers and the stack.
  __m128i fours[(kWidth + 7) / 8];
  _Pragma("GCC unroll 2") for (std::uint32_t e = 0; e < (kWidth + 7) / 8; ++e) {
    const std::uint16_t* const its = topics + 8 * e;
    __m128i v = _mm_cvtsi32_si128(counts[its[0]]);
    v = _mm_insert_epi16(v, counts[its[1]], 1);
    v = _mm_insert_epi16(v, counts[its[2]], 2);
    v = _mm_insert_epi16(v, counts[its[3]], 3);
    if constexpr (kWidth > 4) {
      v = _mm_insert_epi16(v, counts[its[4]], 4);
      v = _mm_insert_epi16(v, counts[its[5]], 5);
      v = _mm_insert_epi16(v, counts[its[6]], 6);
      v = _mm_insert_epi16(v, counts[its[7]], 7);
    }
    fours[e] = v;
  }
  PartShorts v;
#if defined(__AVX512F__)
  v = reinterpret_cast<PartShorts>(_mm256_set_m128i(fours[1], fours[0]));
#else
  __builtin_memcpy(&v, fours, sizeof v);
#endif
#else
  PartShorts v;
  for (std::uint32_t i = 0; i < kWidth; ++i) v[i] = counts[topics[i]];
#endif
  return __builtin_convertvector(widen_part(v), PartFloats);
}
ROTA_INLINE PartFloats gather_counts(const std::uint32_t* counts, const std::uint16_t* topics) {
  PartWords v;
  _Pragma("GCC unroll 16") for (std::uint32_t i = 0; i < kWidth; ++i) v[i] = counts[topics[i]];
  return __builtin_convertvector(v, PartFloats);
}

// Bit i is set where lane i of a comparison's result is.
ROTA_INLINE std::uint32_t mask_of(const PartInts& truth) {
#if defined(__AVX512DQ__)
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(truth));
#elif defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(truth)));
#elif defined(__SSE2__)
  return static_cast<std::uint32_t>(_mm_movemask_ps(reinterpret_cast<__m128>(truth)));
#else
  std::uint32_t mask = 0;
  for (std::uint32_t i = 0; i < kWidth; ++i) mask |= truth[i] != 0 ? 1U << i : 0U;
  return mask;
#endif
}

// The lanes above `bound`, as bits.
ROTA_INLINE std::uint32_t lanes_above(const Floats& v, float bound) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(v.part[0]), _mm512_set1_ps(bound), _CMP_GT_OQ);
#else
  std::uint32_t mask = 0;
  ROTA_EACH_PART mask |= mask_of(v.part[p] > bound - PartFloats{}) << (p * kWidth);
  return mask;
#endif
}

// Sums of lanes 0 .. i: first within each four lanes, then of the preceding fours.  Every vector width can do that in
// this order.
ROTA_INLINE Floats prefix_sums(Floats v) {
#if defined(__AVX512F__)
  PartFloats& x = v.part[0];
  x += reinterpret_cast<PartFloats>(_mm512_maskz_permute_ps(0xeeee, reinterpret_cast<__m512>(x), 0x90));
  x += reinterpret_cast<PartFloats>(_mm512_maskz_permute_ps(0xcccc, reinterpret_cast<__m512>(x), 0x40));
  // The sum of each four in all its lanes; then those sums one, two and three fours further on.
  const __m512 sums = _mm512_permute_ps(reinterpret_cast<__m512>(x), 0xff);
  const auto one = reinterpret_cast<PartFloats>(_mm512_maskz_shuffle_f32x4(0xfff0, sums, sums, 0x90));
  const auto two = reinterpret_cast<PartFloats>(_mm512_maskz_shuffle_f32x4(0xff00, sums, sums, 0x40));
  const auto three = reinterpret_cast<PartFloats>(_mm512_maskz_shuffle_f32x4(0xf000, sums, sums, 0x00));
  x += three + two + one;
#elif defined(__AVX2__)
  const PartFloats zero{};
  ROTA_EACH_PART v.part[p] += __builtin_shuffle(v.part[p], zero, PartInts{8, 0, 1, 2, 8, 4, 5, 6});
  ROTA_EACH_PART v.part[p] += __builtin_shuffle(v.part[p], zero, PartInts{8, 8, 0, 1, 8, 8, 4, 5});
  const PartFloats first = __builtin_shuffle(v.part[0], PartInts{3, 3, 3, 3, 3, 3, 3, 3});
  const PartFloats second = __builtin_shuffle(v.part[0], PartInts{7, 7, 7, 7, 7, 7, 7, 7});
  const PartFloats third = __builtin_shuffle(v.part[1], zero, PartInts{8, 8, 8, 8, 3, 3, 3, 3});
  v.part[0] += __builtin_shuffle(first, zero, PartInts{8, 8, 8, 8, 4, 5, 6, 7});
  v.part[1] += first + second + third;
#else
  const PartFloats zero{};
  ROTA_EACH_PART v.part[p] += __builtin_shuffle(v.part[p], zero, PartInts{4, 0, 1, 2});
  ROTA_EACH_PART v.part[p] += __builtin_shuffle(v.part[p], zero, PartInts{4, 4, 0, 1});
  PartFloats before{};
  ROTA_EACH_PART {
    const PartFloats its_sum = __builtin_shuffle(v.part[p], PartInts{3, 3, 3, 3});
    v.part[p] += before;
    before += its_sum;
  }
#endif
  return v;
}

// Sums of lanes, ready for a draw.
struct LaneSums {
  ROTA_INLINE explicit LaneSums(const Floats& sums) : upto(prefix_sums(sums)) {
    total = upto.part[kParts - 1][kWidth - 1];
  }
  Floats upto;
  float total;
};

// The lane in which `target` falls, and its offset there.  Because of rounding the offset may be slightly beyond the
// weights of the lane, so callers check that what they find has a weight.
struct InLane {
  ROTA_INLINE InLane(const LaneSums& sums, float target) {
    alignas(64) float before[kLanes + 1];
    before[0] = 0;
    sums.upto.store_to(before + 1);
    lane = static_cast<std::uint32_t>(__builtin_ctz(lanes_above(sums.upto, target) | 1U << (kLanes - 1)));
    const float over = target - before[lane];
    rest = over > 0 ? over : 0;
  }
  std::uint32_t lane;
  float rest;
};

}  // namespace
}  // namespace rota::lda
