#include "core/base/heap_pages.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "rota/numerics/large_vector.h"

namespace rota {

void* in_large_heap(void* block, std::size_t bytes) {
  if (block == nullptr || bytes < kLargeBlock) return block;
  static std::atomic<std::byte*> asked_to{nullptr};
  auto* const end = static_cast<std::byte*>(::sbrk(0));
  if (auto* const before = asked_to.exchange(end); before != end) {
    auto* const from = before == nullptr ? static_cast<std::byte*>(block) : std::min(before, end);
    if (from < end) (void)in_large_pages(from, static_cast<std::size_t>(end - from));
  }
  return block < end ? block : in_large_pages(block, bytes);  // mappings lie above the heap
}

}  // namespace rota
