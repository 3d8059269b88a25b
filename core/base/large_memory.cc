// core/base/large_memory.cc -- the heap of Rota's processes, and of their plugins: one for all threads, in large pages,
// if the operating system has them.  It keeps what is freed, up to 128 MiB at its end.
//
// The first touch of a small page takes 0.1 us on a machine of its own, 1 us in a virtual one and more than 10 where
// the host keeps the page tables in software, and the first round of a job touches all of its tables, sums and views.
#include <malloc.h>
#include <sys/resource.h>

#include <cstdlib>
#include <new>

#include "core/base/heap_pages.h"
#include "rota/numerics/large_vector.h"

// The sanitizers check that what their operator new returned is deleted, and would miss it.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

// A smaller block comes from the heap, and the next of its size takes its place.  As a mapping of its own, which is the
// C library's default from 128 KiB on, each would be new memory.
constexpr int kMappedLeast = 32 << 20;

// Before main(), so that the first pages, too, are asked for before they are touched.  The heap grows by M_TOP_PAD more
// than it has to.
[[maybe_unused]] const int settings = [] {
  // With a limit (`ulimit -v`, `ulimit -d`), no address space is taken ahead.
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    struct rlimit space = {};
    if (::getrlimit(resource, &space) != 0 || space.rlim_cur != RLIM_INFINITY) return 0;
  }
  const int set = ::mallopt(M_ARENA_MAX, 1) + ::mallopt(M_MMAP_THRESHOLD, kMappedLeast) +
                  ::mallopt(M_TRIM_THRESHOLD, 128 << 20) + ::mallopt(M_TOP_PAD, 64 << 20);
  std::free(rota::in_large_heap(std::malloc(rota::kLargeBlock), rota::kLargeBlock));
  return set;
}();

template <typename Allocate>
void* allocated(Allocate allocate) {
  for (;;) {
    if (void* const got = allocate()) return got;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

// These replace the C++ library's ([new.delete.single]), which the other forms call.  As there, free() gives the memory
// back.
void* operator new(std::size_t bytes) {
  return allocated([bytes] { return rota::in_large_heap(std::malloc(bytes > 0 ? bytes : 1), bytes); });
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocated([bytes, multiple = static_cast<std::size_t>(alignment)] {
    return rota::in_large_heap(std::aligned_alloc(multiple, bytes > 0 ? bytes : 1), bytes);
  });
}

#endif
