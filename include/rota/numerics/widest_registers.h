// rota/numerics/widest_registers.h -- a function compiled twice, for processors with AVX2 too, and chosen at start.
//
// For loops whose numbers are computed independently by the same operations, or summed in an order that is written out:
// the tree is compiled without contraction, so wider registers do not change any bit.
#pragma once

// ThreadSanitizer instruments the function that chooses, which runs before ThreadSanitizer has begun.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define ROTA_WIDEST_REGISTERS [[gnu::target_clones("avx2", "default")]]
#else
#define ROTA_WIDEST_REGISTERS
#endif
