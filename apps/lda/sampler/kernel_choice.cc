// apps/lda/sampler/kernel_choice.cc -- chooses the kernel for this processor.
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "apps/lda/sampler/cell_kernel.h"

namespace rota::lda {

// Defined by the objects that CMakeLists.txt makes of cell_kernel.cc.
void sample_cell_baseline(Cell&);
#if defined(ROTA_LDA_WIDE_KERNELS)
void sample_cell_v3(Cell&);
void sample_cell_v4(Cell&);
#endif

namespace {

struct Variant {
  std::string_view name;
  SampleCell run;
  bool (*usable)();
  bool (*good_for)(std::uint32_t topics);  // whether to use it
};

bool good_for_all(std::uint32_t) {
  return true;
}

#if defined(ROTA_LDA_WIDE_KERNELS)
// Measured: below this number of topics vectors of 16 lanes are not faster than those of 8.  On AMD's processors (Zen
// 4) gathers are slower than single loads, and the wide kernel takes 10 to 30 % longer with any number of topics.
bool good_for_wide(std::uint32_t topics) {
  constexpr std::uint32_t kManyTopics = 512;
  return topics >= kManyTopics && !__builtin_cpu_is("amd");
}
#endif

// The best first.
constexpr Variant kVariants[] = {
#if defined(ROTA_LDA_WIDE_KERNELS)
    {"v4", sample_cell_v4, [] { return __builtin_cpu_supports("x86-64-v4") != 0; }, good_for_wide},
    {"v3", sample_cell_v3, [] { return __builtin_cpu_supports("x86-64-v3") != 0; }, good_for_all},
#endif
    {"baseline", sample_cell_baseline, [] { return true; }, good_for_all},
};

}  // namespace

SampleCell choose_kernel(std::uint32_t topics) {
  const char* const wanted = std::getenv("ROTA_LDA_KERNEL");
  for (const Variant& variant : kVariants) {
    const bool chosen = wanted != nullptr ? variant.name == wanted : variant.good_for(topics);
    if (chosen && variant.usable()) return variant.run;
  }
  throw std::runtime_error("ROTA_LDA_KERNEL=" + std::string(wanted == nullptr ? "" : wanted) +
                           " names no kernel that runs on this processor");
}

}  // namespace rota::lda
