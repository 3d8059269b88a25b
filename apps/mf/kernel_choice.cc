// apps/mf/kernel_choice.cc -- chooses the kernels for this processor.
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "apps/mf/alternating/row_kernel.h"
#include "apps/mf/scoring/score_kernel.h"
#include "apps/mf/sgd/cell_kernel.h"
#include "apps/mf/sgd/pair_kernel.h"

namespace rota::mf {

// Defined by the objects that CMakeLists.txt makes of the kernels.
double run_cell_baseline(const Cell&);
double run_pairs_baseline(const Cell&, const PairStep*, std::size_t);
void score_rows_baseline(const Products&);
const RowKernel& row_kernel_baseline();
#if defined(__x86_64__)
double run_cell_v3(const Cell&);
double run_pairs_v3(const Cell&, const PairStep*, std::size_t);
void score_rows_v3(const Products&);
const RowKernel& row_kernel_v3();
double run_cell_v4(const Cell&);
double run_pairs_v4(const Cell&, const PairStep*, std::size_t);
void score_rows_v4(const Products&);
const RowKernel& row_kernel_v4();
#endif

namespace {

struct Variant {
  std::string_view name;
  RunCell run;
  RunPairs pairs;
  ScoreRows score;
  const RowKernel& (*rows)();
  bool (*usable)();
};

// The best first.
constexpr Variant kVariants[] = {
#if defined(__x86_64__)
    {"v4", run_cell_v4, run_pairs_v4, score_rows_v4, row_kernel_v4,
     [] { return __builtin_cpu_supports("x86-64-v4") != 0; }},
    {"v3", run_cell_v3, run_pairs_v3, score_rows_v3, row_kernel_v3,
     [] { return __builtin_cpu_supports("x86-64-v3") != 0; }},
#endif
    {"baseline", run_cell_baseline, run_pairs_baseline, score_rows_baseline, row_kernel_baseline, [] { return true; }},
};

const Variant& choose() {
  const char* const wanted = std::getenv("ROTA_MF_KERNEL");
  for (const Variant& variant : kVariants)
    if ((wanted == nullptr || variant.name == wanted) && variant.usable()) return variant;
  throw std::runtime_error("ROTA_MF_KERNEL=" + std::string(wanted == nullptr ? "" : wanted) +
                           " names no kernel that runs on this processor");
}

}  // namespace

RunCell choose_kernel() {
  return choose().run;
}

RunPairs choose_pair_kernel() {
  return choose().pairs;
}

ScoreRows choose_score_kernel() {
  return choose().score;
}

const RowKernel& choose_row_kernel() {
  return choose().rows();
}

}  // namespace rota::mf
