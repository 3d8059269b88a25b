// core/rounds/zeroed.h -- many numbers, zero at first, whose memory is taken as they are written.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "core/base/zeros.h"

namespace rota {

template <typename T>
struct ZeroedMemory {
  using value_type = T;

  T* allocate(std::size_t count) {
    void* const numbers = is_large(count) ? map_zeros(count * sizeof(T)) : std::calloc(count, sizeof(T));
    if (numbers == nullptr) throw std::bad_alloc();
    return static_cast<T*>(numbers);
  }
  void deallocate(T* numbers, std::size_t count) {
    if (is_large(count))
      unmap_zeros(numbers, count * sizeof(T));
    else
      std::free(numbers);
  }
  static bool is_large(std::size_t count) { return count >= kZerosLeast / sizeof(T); }
  void construct(T*) {}  // it is zero
  friend bool operator==(const ZeroedMemory&, const ZeroedMemory&) { return true; }
};

// Of fixed size: memory that is used again would not be zero.
template <typename T>
using Zeroed = std::vector<T, ZeroedMemory<T>>;

}  // namespace rota
