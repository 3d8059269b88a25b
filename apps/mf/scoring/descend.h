// apps/mf/scoring/descend.h -- least squares under bounds.
#pragma once
#include <cstddef>
#include <span>

namespace rota::mf {

// x becomes the minimiser of  x' A x / 2 - y' x,  where the first `bounded` numbers of x are at least 0: by coordinate
// descent from the given x.  A is symmetric and positive definite, its rows `width` apart.
void descend(std::span<const double> a, std::size_t width, std::span<const double> y, std::size_t bounded,
             std::span<double> x);

}  // namespace rota::mf
