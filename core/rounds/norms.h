// core/rounds/norms.h -- the size of many changes.
#pragma once
#include <emmintrin.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "rota/round.h"

namespace rota {

// Numbers that are looked at together: they stay in the nearest cache, whatever else is done with them.
inline constexpr std::size_t kNormBlock = 1024;

// Of one block, in lanes that the processor adds side by side, and that are added up in their order.  They are named as
// vectors because GCC does not keep arrays of numbers in registers.
inline ChangeNorms norms_of_block(std::span<const double> changes) {
  constexpr std::size_t kLanes = 8, kPair = 2;
  __m128d l1[kLanes / kPair] = {}, l2_squared[kLanes / kPair] = {}, largest[kLanes / kPair] = {};
  std::size_t i = 0;
  for (; i + kLanes <= changes.size(); i += kLanes)
    for (std::size_t k = 0; k < kLanes / kPair; ++k) {
      const __m128d size = _mm_andnot_pd(_mm_set1_pd(-0.0), _mm_loadu_pd(&changes[i + k * kPair]));
      l1[k] += size;
      l2_squared[k] += size * size;
      largest[k] = _mm_max_pd(size, largest[k]);
    }
  ChangeNorms norms;
  for (std::size_t k = 0; k < kLanes; ++k)
    norms += {l1[k / kPair][k % kPair], l2_squared[k / kPair][k % kPair], largest[k / kPair][k % kPair]};
  for (; i < changes.size(); ++i) norms.add(changes[i]);
  return norms;
}

// Block after block: the same for all that sum them.
inline ChangeNorms norms_of(std::span<const double> changes) {
  ChangeNorms norms;
  for (std::size_t at = 0; at < changes.size(); at += kNormBlock)
    norms += norms_of_block(changes.subspan(at, std::min(kNormBlock, changes.size() - at)));
  return norms;
}

}  // namespace rota
