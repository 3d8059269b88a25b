// apps/lda/sampler/kernel_choice.cc -- chooses the kernel for this processor.
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "apps/lda/sampler/cell_kernel.h"

namespace rota::lda {

// Defined by the objects that CMakeLists.txt makes of cell_kernel.cc.
void sample_cell_baseline(Cell&);
void sample_cell_v3(Cell&);
void sample_cell_v4(Cell&);

SampleCell choose_kernel(std::uint32_t topics) {
  const char* const wanted = std::getenv("ROTA_LDA_KERNEL");
  const auto chosen = [&](std::string_view name, bool best) { return wanted == nullptr ? best : wanted == name; };
#if defined(ROTA_LDA_WIDE_KERNELS)
  // Measured: below this number of topics vectors of 16 lanes are not faster than those of 8.  On AMD's processors (Zen
  // 4) gathers are slower than single loads, and the wide kernel takes 10 to 30 % longer with any number of topics.
  constexpr std::uint32_t kManyTopics = 512;
  const bool wide = topics >= kManyTopics && !__builtin_cpu_is("amd");
  if (chosen("v4", wide) && __builtin_cpu_supports("x86-64-v4")) return sample_cell_v4;
  if (chosen("v3", true) && __builtin_cpu_supports("x86-64-v3")) return sample_cell_v3;
#else
  (void)topics;
#endif
  if (chosen("baseline", true)) return sample_cell_baseline;
  throw std::runtime_error("ROTA_LDA_KERNEL=" + std::string(wanted) + " names no kernel that runs on this processor");
}

}  // namespace rota::lda
