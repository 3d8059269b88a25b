// apps/mf/scoring/score_kernel.h -- products of users' factors with items' factors, many at once (kernels.h).  A
// product is summed in the order of the factors.
#pragma once
#include <cstddef>

namespace rota::mf {

inline constexpr std::size_t kScoreLanes = 16;  // items whose products are computed side by side

// out[u * stride + i] = user u . item i.  Rows are `width` floats, a multiple of 16, one after the other.
struct Products {
  const float* users;
  std::size_t user_count;
  const float* items;
  std::size_t item_count;
  std::size_t width;
  float* out;
  std::size_t stride;  // at least item_count, and a multiple of 16; numbers after the items are undefined
};
using ScoreRows = void (*)(const Products&);

}  // namespace rota::mf
