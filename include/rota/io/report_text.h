// rota/io/report_text.h -- what commands print: the first of many, and columns of text.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace rota::io {

// The positions of the `most` largest of `count` keys, the largest first; of equal ones the first.  key(i): of position
// i, a number.
template <typename Key>
std::vector<std::uint32_t> largest(std::size_t count, std::size_t most, Key key) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  most = std::min(most, count);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      const auto of_a = key(a), of_b = key(b);
                      return of_a != of_b ? of_a > of_b : a < b;
                    });
  order.resize(most);
  return order;
}

inline std::string right_aligned(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + std::string(text);
}
inline std::string left_aligned(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, text.size()), ' ');
}

}  // namespace rota::io
