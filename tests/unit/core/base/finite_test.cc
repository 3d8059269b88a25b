#include "core/base/finite.h"

namespace rota {
namespace {

TEST(Finite, ANonFiniteNumberIsFoundAnywhere) {
  constexpr double kMost = std::numeric_limits<double>::max(), kInfinity = std::numeric_limits<double>::infinity();
  for (const std::size_t size : {0U, 1U, 511U, 512U, 513U, 1500U}) {
    std::vector<double> numbers(size);
    for (std::size_t i = 0; i < size; ++i)
      numbers[i] = (i % 2 == 0 ? 1 : -1) * (i % 3 == 0 ? kMost : i % 3 == 1 ? 0.0 : 5e-324);
    EXPECT_TRUE(all_finite(numbers)) << size;
    for (std::size_t i = 0; i < size; i += 73)
      for (const double wrong : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(),
                                 -std::numeric_limits<double>::signaling_NaN()}) {
        const double before = std::exchange(numbers[i], wrong);
        EXPECT_FALSE(all_finite(numbers)) << i << " of " << size;
        numbers[i] = before;
      }
  }
}

}  // namespace
}  // namespace rota
