// apps/lasso/solver/large_pages.h -- an allocator for vectors that may be large: in large pages, if available.
//
// When a vector grows to megabytes, the first access to each page takes longer than filling it.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "apps/linear/design/array.h"

namespace rota::lasso {

template <typename T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <typename U>
  LargePages(const LargePages<U>&) {}

  // Throws std::bad_alloc.
  T* allocate(std::size_t count) {
    constexpr std::size_t kPage = linear::kLargePage;
    if (count > (~std::size_t{0} - kPage) / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = count * sizeof(T), whole = (bytes + kPage - 1) / kPage * kPage;
    const bool large = bytes >= kPage / 2;
    void* const got = large ? std::aligned_alloc(kPage, whole) : std::malloc(bytes);
    if (got == nullptr) throw std::bad_alloc();
    if (large) (void)::madvise(got, whole, MADV_HUGEPAGE);  // without support, pages stay small
    return static_cast<T*>(got);
  }
  void deallocate(T* at, std::size_t) { std::free(at); }

  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

template <typename T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace rota::lasso
