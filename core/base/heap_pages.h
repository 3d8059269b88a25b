// core/base/heap_pages.h -- the heap in large pages, if the operating system has them.
#pragma once
#include <cstddef>

namespace rota {

// For a block that has just been allocated, and whose memory need not have been touched yet.  If it is large, asks for
// large pages for it, and for all by which the heap has grown since the last call: for small blocks and later ones,
// too.  Returns the block.
void* in_large_heap(void* block, std::size_t bytes);

}  // namespace rota
