// rota/numerics/large_vector.h -- vectors of numbers that may be large: in large pages, if the operating system
// has them.
//
// Large pages make the first touch of hundreds of megabytes, and scattered writes to them, several times as fast.
#pragma once
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

namespace rota {

// In bytes.  Large pages are asked for from blocks of kLargeBlock on.
inline constexpr std::size_t kLargePage = std::size_t{1} << 21, kLargeBlock = kLargePage / 16;

// For memory that has just been allocated.  Returns it.
inline void* in_large_pages(void* at, std::size_t bytes) {
  if (bytes < kLargeBlock) return at;
  // All pages that it has a part of: its neighbours in the heap lie there, too.
  const auto first = reinterpret_cast<std::uintptr_t>(at) / kLargePage * kLargePage;
  const auto end = (reinterpret_cast<std::uintptr_t>(at) + bytes + kLargePage - 1) / kLargePage * kLargePage;
  const int error = errno;
  (void)::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);  // without support, pages stay small
  errno = error;
  return at;
}

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
    const std::size_t bytes = count * sizeof(T);
    if (count > ~std::size_t{0} / sizeof(T)) throw std::bad_alloc();
    // Rota's operator new asks for large pages itself; that of another program does not.
    return static_cast<T*>(in_large_pages(::operator new(bytes), bytes));
  }
  void deallocate(T* at, std::size_t) { ::operator delete(at); }

  template <typename U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }

  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

template <typename T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace rota
