// apps/mf/ccd/ccd.h -- cyclic coordinate descent.  By default one factor of all users and items after the other: CCD++
// (Yu, Hsieh, Si and Dhillon, "Scalable coordinate descent approaches to parallel matrix factorization for recommender
// systems", ICDM 2012).
//
// With the residuals of all factors but one, R = A - sum over l != k of u_l v_l', that factor is fitted to them:
//
// u_k[i] = sum over i's ratings of R_ij v_k[j] / (penalty_i + sum over them of v_k[j]^2),     then v_k in the same way,
//
// --inner times.  The tables are stored factor after factor, so a round has consecutive rows, and one number of each.
// --schedule=round_robin is in round_robin.h.
#pragma once
#include <cstddef>

namespace rota::mf {

// Numbers in a row of a table: those of one factor of that many neighbours.  Single ones would be too many rows to
// store.
inline constexpr std::size_t kTogether = 64;
inline std::size_t rows_of_factor(std::size_t count) {
  return (count + kTogether - 1) / kTogether;
}

}  // namespace rota::mf
