// apps/lasso/solver/cholesky.h -- solves small symmetric positive definite systems.
#pragma once
#include <cstddef>
#include <span>

namespace rota::lasso {

// Solves A x = b in place: b becomes x.  Of A, `size` x `size` by rows, the lower triangle is read and becomes its
// Cholesky factor.  False if A is not positive definite within rounding; then b has no meaning.  Takes about
// size^3 / 6 multiplications.
bool solve_definite(std::size_t size, std::span<double> a, std::span<double> b);

}  // namespace rota::lasso
