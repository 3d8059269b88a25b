// core/rounds/zeroed.h -- many numbers, zero at first, whose memory is taken as they are written.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "core/base/heap_pages.h"

namespace rota {

template <typename T>
struct ZeroedMemory {
  using value_type = T;

  // In large pages up to 64 MiB: of a larger table perhaps only a few rows are ever written, which take less memory in
  // small ones.
  T* allocate(std::size_t count) {
    void* const numbers = std::calloc(count, sizeof(T));
    if (numbers == nullptr) throw std::bad_alloc();
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T*>(bytes <= std::size_t{64} << 20 ? in_large_heap(numbers, bytes) : numbers);
  }
  void deallocate(T* numbers, std::size_t) { std::free(numbers); }
  void construct(T*) {}  // it is zero
  friend bool operator==(const ZeroedMemory&, const ZeroedMemory&) { return true; }
};

// Of fixed size: memory that is used again would not be zero.
template <typename T>
using Zeroed = std::vector<T, ZeroedMemory<T>>;

}  // namespace rota
