// apps/mf/kernels.h -- the inner loops, compiled once for each level of x86-64, each in a namespace of its own.
//
// Their sources and these headers use plain data and no function of the standard library: the linker must never keep a
// copy compiled for a wide processor for all.  All levels do the same operations on the same number of lanes in the
// same order, so all give the same numbers to the last bit.
#pragma once
#include "apps/mf/alternating/row_kernel.h"
#include "apps/mf/scoring/score_kernel.h"
#include "apps/mf/sgd/cell_kernel.h"
#include "apps/mf/sgd/pair_kernel.h"

namespace rota::mf {

struct Kernels {
  RunCell run_cell;
  RunPairs run_pairs;
  ScoreRows score_rows;
  RowKernel rows;
};

// The best ones for this processor, or those that the environment variable ROTA_MF_KERNEL names (baseline, v3, v4; for
// tests).  Throws std::runtime_error if it is unknown or cannot run here.
const Kernels& kernels();

}  // namespace rota::mf
