// rota/numerics/large_vector.h -- vectors of numbers that may be large: in large pages, if the operating system
// has them.
//
// Large pages make the first touch of hundreds of megabytes, and scattered writes to them, several times as fast.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <vector>

namespace rota {

inline constexpr std::size_t kLargePage = std::size_t{1} << 21;  // bytes

// Numbers of a vector of a given size, and those that resize() adds, are not set: their memory is not touched before
// they are written.
template <typename T>
struct LargePages {
  static_assert(std::is_trivially_copyable_v<T>);
  using value_type = T;
  LargePages() = default;
  template <typename U>
  LargePages(const LargePages<U>&) {}

  // Throws std::bad_alloc.
  T* allocate(std::size_t count) {
    if (count > (~std::size_t{0} - kLargePage) / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = count * sizeof(T), whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
    const bool large = bytes >= kLargePage / 2;
    void* const got = large ? std::aligned_alloc(kLargePage, whole) : std::malloc(bytes);
    if (got == nullptr) throw std::bad_alloc();
    if (large) (void)::madvise(got, whole, MADV_HUGEPAGE);  // without support, pages stay small
    return static_cast<T*>(got);
  }
  void deallocate(T* at, std::size_t) { std::free(at); }

  template <typename U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }

  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

template <typename T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace rota
