#include "apps/mf/alternating/row_kernel.h"

#include "rota/numerics/line_vector.h"
#include "rota/numerics/seed_mixer.h"
#include "tests/unit/apps/mf/plain_solve.h"

namespace rota::tests {
namespace {

using Numbers = LineVector<double>;

Numbers random_numbers(std::size_t count, Random& random) {
  Numbers out(count);
  for (double& one : out) one = random.uniform() - 0.4;
  return out;
}

// Sums are those of plain loops, bit for bit.
void check(std::size_t count, std::size_t size, std::size_t width) {
  Random random = random_named({count, size});
  Numbers rows = random_numbers(count * width, random), x = random_numbers(width, random);
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t k = size; k < width; ++k) rows[r * width + k] = 0;
  const Numbers weights = random_numbers(count, random);
  Numbers scaled = rows, product(count), sum = x, a(width * width);
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= weights[i / width] * weights[i / width];
  mf::products(rows.data(), count, width, x.data(), product.data());
  mf::combine(rows.data(), count, width, weights.data(), sum.data());
  mf::add_squares(rows.data(), scaled.data(), count, width, a.data());
  std::vector<std::vector<double>> plain(size, std::vector<double>(size));
  for (std::size_t r = 0; r < count; ++r) {
    double lanes[8] = {};
    for (std::size_t k = 0; k < width; ++k) lanes[k % 8] += rows[r * width + k] * x[k];
    for (std::size_t i = 0; i < 4; ++i) lanes[i] += lanes[i + 4];
    EXPECT_EQ(product[r], (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]));
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) plain[i][j] += scaled[r * width + i] * rows[r * width + j];
  }
  for (std::size_t k = 0; k < width; ++k) {
    double expected = x[k];
    for (std::size_t r = 0; r < count; ++r) expected += weights[r] * rows[r * width + k];
    EXPECT_EQ(sum[k], expected);
  }
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = i; j < size; ++j) EXPECT_EQ(a[i * width + j], plain[i][j]);
  for (std::size_t i = 0; i < size; ++i) {
    a[i * width + i] += 0.5;
    plain[i][i] += 0.5;
  }
  Numbers y = x;
  mf::solve(a.data(), size, width, y.data());
  const std::vector<double> solution =
      plain_solve(plain, std::vector<double>(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(size)));
  for (std::size_t k = 0; k < size; ++k) EXPECT_NEAR(y[k], solution[k], 1e-11);
}

TEST(RowKernel, RowsWithoutInformationAreZero) {
  Numbers a(64), y(8, 1);
  a[0] = 4;
  a[2] = 2;
  a[18] = 3;  // of the second number, and all from the fourth on, nothing is known
  mf::solve(a.data(), 8, 8, y.data());
  // 4 x0 + 2 x2 = 1 and 2 x0 + 3 x2 = 1
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(y[k], k == 0 ? 0.125 : k == 2 ? 0.25 : 0, 1e-15) << k;
}

TEST(RowKernel, IsThatOfPlainLoops) {
  for (const std::size_t size : {1U, 7U, 8U, 9U, 32U, 41U})
    for (const std::size_t count : {1U, 5U, 300U}) check(count, size, (size + 7) / 8 * 8);
}

}  // namespace
}  // namespace rota::tests
