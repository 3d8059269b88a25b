// core/rounds/zeroed.h -- many numbers, zero at first, whose memory is taken as they are written.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace rota {

// A large block of calloc's is not touched before it is written to.
template <typename T>
struct ZeroedMemory {
  using value_type = T;

  T* allocate(std::size_t count) {
    auto* const numbers = static_cast<T*>(std::calloc(count, sizeof(T)));
    if (numbers == nullptr) throw std::bad_alloc();
    return numbers;
  }
  void deallocate(T* numbers, std::size_t) { std::free(numbers); }
  void construct(T*) {}  // it is zero
  friend bool operator==(const ZeroedMemory&, const ZeroedMemory&) { return true; }
};

// Of fixed size: memory that is used again would not be zero.
template <typename T>
using Zeroed = std::vector<T, ZeroedMemory<T>>;

}  // namespace rota
