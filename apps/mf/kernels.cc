#include "apps/mf/kernels.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

// Defined by the objects that CMakeLists.txt makes of the kernels.
#define ROTA_MF_LEVEL(level)                                   \
  namespace rota::mf::level {                                  \
  double run_cell(const Cell&);                                \
  double run_pairs(const Cell&, const PairStep*, std::size_t); \
  void score_rows(const Products&);                            \
  RowKernel row_kernel();                                      \
  }
ROTA_MF_LEVEL(baseline)
#if defined(ROTA_MF_WIDE_KERNELS)
ROTA_MF_LEVEL(v3)
ROTA_MF_LEVEL(v4)
#endif

namespace rota::mf {

const Kernels& kernels() {
  struct Level {
    std::string_view name;
    bool usable;
    Kernels kernels;
  };
  static const Level kLevels[] = {
// The best first.
#if defined(ROTA_MF_WIDE_KERNELS)
    {"v4", __builtin_cpu_supports("x86-64-v4") != 0, {v4::run_cell, v4::run_pairs, v4::score_rows, v4::row_kernel()}},
    {"v3", __builtin_cpu_supports("x86-64-v3") != 0, {v3::run_cell, v3::run_pairs, v3::score_rows, v3::row_kernel()}},
#endif
    {"baseline", true, {baseline::run_cell, baseline::run_pairs, baseline::score_rows, baseline::row_kernel()}}
  };
  const char* const wanted = std::getenv("ROTA_MF_KERNEL");
  for (const Level& level : kLevels)
    if (level.usable && (wanted == nullptr || level.name == wanted)) return level.kernels;
  throw std::runtime_error("ROTA_MF_KERNEL=" + std::string(wanted == nullptr ? "" : wanted) +
                           " names no kernel that runs on this processor");
}

}  // namespace rota::mf
