// apps/mf/alternating/row_kernel.h -- sums over rows of factors, and the solution of a row's equations.
//
// Rows are `width` numbers, a multiple of 8, one after the other.  The numbers are the same to the last bit on every
// processor.
#pragma once
#include <cstddef>

namespace rota::mf {

inline constexpr std::size_t kRowLanes = 8;

// out[r] = row r . x
void products(const double* rows, std::size_t count, std::size_t width, const double* x, double* out);
// out += sum over r of weights[r] row r
void combine(const double* rows, std::size_t count, std::size_t width, const double* weights, double* out);
// On and above the diagonal:  a += sum over r of (scaled row r)' (row r).  Numbers below may change, too.
void add_squares(const double* rows, const double* scaled, std::size_t count, std::size_t width, double* a);
// y becomes the x of  a x = y,  by a Cholesky decomposition of the first `size` rows and columns of a, which is
// symmetric and positive semidefinite, and of which only the numbers on and above the diagonal are read.  a is
// overwritten.
void solve(double* a, std::size_t size, std::size_t width, double* y);

}  // namespace rota::mf
