#include "apps/linear_models/logistic_rows.h"

#include "apps/linear_models/logistic_loss.h"

namespace rota::linear {
namespace {

constexpr std::size_t kRows = 1003;  // more than a chunk, and not a whole number of them

struct Data {
  std::vector<double> y, f, w, loss, p, rest;
};

Data random_data(double shift) {
  Data data;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < kRows; ++i) {
    data.y.push_back(i % 3 == 0 ? 1 : -1);
    data.f.push_back(i % 50 == 7 ? 300 * normal(random) : 3 * normal(random));
    data.w.push_back(i % 11 == 0 ? 0 : std::abs(normal(random)));
  }
  data.loss.resize(kRows);
  data.p.resize(kRows);
  data.rest.resize(kRows);
  logistic_rows(data.y, data.f, shift, {data.loss, data.p, data.rest});
  return data;
}

TEST(LogisticRows, AreThoseOfOneRowAtATime) {
  const double shift = 0.75;
  const Data data = random_data(shift);
  for (std::size_t i = 0; i < kRows; ++i) {
    const LogisticRow row = logistic_row(data.y[i] * (data.f[i] + shift));
    ASSERT_EQ(data.loss[i], row.loss) << i;
    ASSERT_EQ(data.p[i], row.p) << i;
    ASSERT_EQ(data.rest[i], row.rest) << i;
  }
}

TEST(LogisticRows, DivergenceIsTheSumOfItsDefinition) {
  const Data data = random_data(0);
  EXPECT_EQ(divergence_of_share(1, data.w, data.p, data.rest), 0);
  for (const double a : {0.0, 1e-3, 0.5, 0.999}) {
    long double sum = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      const long double p = data.p[i], rest = data.rest[i], u = a * p,
                        left = rest + (1 - static_cast<long double>(a)) * p;
      sum += data.w[i] * ((u > 0 ? u * std::log(static_cast<long double>(a)) : 0) + left * std::log(left / rest));
    }
    EXPECT_NEAR(divergence_of_share(a, data.w, data.p, data.rest), static_cast<double>(sum),
                1e-13 * static_cast<double>(sum))
        << a;
  }
}

}  // namespace
}  // namespace rota::linear
