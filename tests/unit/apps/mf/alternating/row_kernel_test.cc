// tests/unit/apps/mf/alternating/row_kernel_test.cc -- every variant of the kernel against plain loops and each other.
#include "apps/mf/kernels.h"
#include "rota/numerics/line_vector.h"
#include "rota/seed_mixer.h"
#include "tests/unit/apps/mf/plain_solve.h"

namespace rota::tests {
namespace {

using Numbers = LineVector<double>;

Numbers random_numbers(std::size_t count, Random& random) {
  Numbers out(count);
  for (double& one : out) one = random.uniform() - 0.4;
  return out;
}

// All that the kernel makes of some rows.
Numbers check(const mf::RowKernel& kernel, std::size_t count, std::size_t size, std::size_t width) {
  Random random = random_named({count, size});
  Numbers rows = random_numbers(count * width, random), x = random_numbers(width, random);
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t k = size; k < width; ++k) rows[r * width + k] = 0;
  const Numbers weights = random_numbers(count, random);
  Numbers scaled = rows, products(count), sum = x, a(width * width);
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= weights[i / width] * weights[i / width];
  kernel.products(rows.data(), count, width, x.data(), products.data());
  kernel.combine(rows.data(), count, width, weights.data(), sum.data());
  kernel.add_squares(rows.data(), scaled.data(), count, width, a.data());
  std::vector<std::vector<double>> plain(size, std::vector<double>(size));
  for (std::size_t r = 0; r < count; ++r) {
    double product = 0;
    for (std::size_t k = 0; k < width; ++k) product += rows[r * width + k] * x[k];
    EXPECT_NEAR(products[r], product, 1e-12);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) plain[i][j] += scaled[r * width + i] * rows[r * width + j];
  }
  for (std::size_t k = 0; k < width; ++k) {
    double expected = x[k];
    for (std::size_t r = 0; r < count; ++r) expected += weights[r] * rows[r * width + k];
    EXPECT_NEAR(sum[k], expected, 1e-12);
  }
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = i; j < size; ++j) EXPECT_NEAR(a[i * width + j], plain[i][j], 1e-12);
  for (std::size_t i = 0; i < size; ++i) {
    a[i * width + i] += 0.5;
    plain[i][i] += 0.5;
  }
  Numbers y = x;
  kernel.solve(a.data(), size, width, y.data());
  const std::vector<double> solution =
      plain_solve(plain, std::vector<double>(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(size)));
  for (std::size_t k = 0; k < size; ++k) EXPECT_NEAR(y[k], solution[k], 1e-11);
  Numbers all = products;
  for (const Numbers* const one : {&sum, &y}) all.insert(all.end(), one->begin(), one->end());
  return all;
}

TEST(RowKernel, RowsWithoutInformationAreZero) {
  Numbers a(64), y(8, 1);
  a[0] = 4;
  a[2] = 2;
  a[18] = 3;  // of the second number, and all from the fourth on, nothing is known
  mf::kernels().rows.solve(a.data(), 8, 8, y.data());
  // 4 x0 + 2 x2 = 1 and 2 x0 + 3 x2 = 1
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(y[k], k == 0 ? 0.125 : k == 2 ? 0.25 : 0, 1e-15) << k;
}

TEST(RowKernel, IsThatOfPlainLoopsInEveryVariant) {
  for (const std::size_t size : {1U, 7U, 8U, 9U, 32U, 41U})
    for (const std::size_t count : {1U, 5U, 300U}) {
      Numbers first;
      int usable = 0;
      for (const char* variant : {"baseline", "v3", "v4"}) {
        setenv("ROTA_MF_KERNEL", variant, 1);
        try {
          const Numbers all = check(mf::kernels().rows, count, size, (size + 7) / 8 * 8);
          if (usable++ == 0) first = all;
          EXPECT_EQ(all, first) << variant;
        } catch (const std::runtime_error&) {
          EXPECT_STRNE(variant, "baseline");
        }
      }
      unsetenv("ROTA_MF_KERNEL");
    }
}

}  // namespace
}  // namespace rota::tests
