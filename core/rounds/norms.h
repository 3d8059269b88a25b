// core/rounds/norms.h -- the size of many changes.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "rota/round.h"

namespace rota {

// Numbers that are looked at together: they stay in the nearest cache, whatever else is done with them.
inline constexpr std::size_t kNormBlock = 1024;

// Of one block, in lanes that the processor adds side by side, and that are added up in their order.
inline ChangeNorms norms_of_block(std::span<const double> changes) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> l1 = {}, l2_squared = {}, largest = {};
  std::size_t i = 0;
  for (; i + kLanes <= changes.size(); i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double size = std::abs(changes[i + k]);
      l1[k] += size;
      l2_squared[k] += size * size;
      largest[k] = size > largest[k] ? size : largest[k];
    }
  ChangeNorms norms;
  for (std::size_t k = 0; k < kLanes; ++k) norms += {l1[k], l2_squared[k], largest[k]};
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
