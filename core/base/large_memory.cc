// core/base/large_memory.cc -- operator new of Rota's processes, and of their plugins: blocks of a megabyte and more
// lie in large pages, if the operating system has them.
//
// The first touch of a small page takes 0.1 us on a machine of its own, 1 us in a virtual one and more than 10 where
// the host keeps the page tables in software, and the first round of a job touches all of its tables, sums and views.
#include <cstdlib>
#include <new>

#include "rota/numerics/large_vector.h"

// The sanitizers check that what their operator new returned is deleted, and would miss it.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

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
  return allocated([bytes] { return rota::in_large_pages(std::malloc(bytes > 0 ? bytes : 1), bytes); });
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocated([bytes, multiple = static_cast<std::size_t>(alignment)] {
    return rota::in_large_pages(std::aligned_alloc(multiple, bytes > 0 ? bytes : 1), bytes);
  });
}

#endif
