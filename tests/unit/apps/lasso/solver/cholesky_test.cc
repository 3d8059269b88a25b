#include "apps/lasso/solver/cholesky.h"

namespace rota::lasso {
namespace {

TEST(Cholesky, SolvesDefiniteSystems) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (const std::size_t size : {1, 2, 3, 7, 40}) {
    std::vector<double> root(size * size), a(size * size, 0.0), b(size, 0.0), x(size);
    for (double& value : root) value = normal(random);
    for (double& value : x) value = normal(random);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t k = 0; k < size; ++k) a[i * size + j] += root[i * size + k] * root[j * size + k];
        if (i == j) a[i * size + j] += 1;
        b[i] += a[i * size + j] * x[j];
      }
    std::vector<double> triangle;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j <= i; ++j) triangle.push_back(a[i * size + j]);
    ASSERT_TRUE(solve_definite(size, triangle, b));
    for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(b[i], x[i], 1e-10);
  }
}

TEST(Cholesky, RefusesWhatIsNotDefinite) {
  std::vector<double> singular = {1, 1, 1}, negative = {-1}, b = {1, 1};
  EXPECT_FALSE(solve_definite(2, singular, b));
  EXPECT_FALSE(solve_definite(1, negative, b));
}

}  // namespace
}  // namespace rota::lasso
