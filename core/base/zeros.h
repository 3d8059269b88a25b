// core/base/zeros.h -- large blocks of zeros, in large pages of memory, if the operating system has them.
#pragma once
#include <cstddef>

namespace rota {

// Of fewer bytes, calloc makes zeros as fast.
inline constexpr std::size_t kZerosLeast = std::size_t{1} << 20;

// Zeros, whose memory is taken as they are written: a large page at once up to 64 MiB, else a small one, because of a
// larger table perhaps only a few rows are ever written.  Null if there is no memory.  REQUIRES kZerosLeast bytes.
void* map_zeros(std::size_t bytes);
void unmap_zeros(void* at, std::size_t bytes);

}  // namespace rota
