// rota/numerics/line_vector.h -- a vector whose array is aligned to a cache line, for kernels of vector instructions.
#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace rota {

template <typename T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <typename U>
  LineAllocator(const LineAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* at, std::size_t) { ::operator delete(at, kLine); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

template <typename T>
using LineVector = std::vector<T, LineAllocator<T>>;

}  // namespace rota
