#include "apps/lasso/solver/anderson.h"

namespace rota::lasso {
namespace {

using Vector = std::vector<double>;

// x <- limit + T (x - limit) with a fixed contraction T.
Vector next(const Vector& x, const Vector& limit) {
  Vector to = limit;
  for (std::size_t a = 0; a < x.size(); ++a)
    for (std::size_t b = 0; b < x.size(); ++b) {
      const double entry = a == b ? 0.5 + 0.1 * static_cast<double>(a) : 0.05 / static_cast<double>(1 + a + b);
      to[a] += entry * (x[b] - limit[b]);
    }
  return to;
}

TEST(Anderson, FindsTheLimitOfASmallLinearMethod) {
  const Vector limit = {1, -2, 3, 0.5};
  Anderson anderson;
  Vector x(4, 0.0), point(4);
  anderson.restart(x);
  for (std::size_t k = 0; k < Anderson::kDepth; ++k) {
    EXPECT_FALSE(anderson.full());
    x = next(x, limit);
    anderson.append(x);
  }
  ASSERT_TRUE(anderson.full());
  ASSERT_TRUE(anderson.extrapolate(point));
  double far = 0;
  for (std::size_t a = 0; a < 4; ++a) {
    EXPECT_NEAR(point[a], limit[a], 1e-5);
    far = std::max(far, std::abs(x[a] - limit[a]));
  }
  EXPECT_GT(far, 0.1);
}

TEST(Anderson, AConstantSequenceIsIgnored) {
  Anderson anderson;
  const Vector x = {1, 2};
  Vector point(2);
  anderson.restart(x);
  for (std::size_t k = 0; k < Anderson::kDepth; ++k) anderson.append(x);
  EXPECT_FALSE(anderson.extrapolate(point));
}

TEST(Anderson, ARestartForgets) {
  const Vector limit = {1, -2, 3, 0.5};
  Anderson used, fresh;
  Vector x(4, 100.0);
  used.restart(x);
  used.append(next(x, limit));
  x.assign(4, 0.0);
  used.restart(x);
  fresh.restart(x);
  for (std::size_t k = 0; k < Anderson::kDepth; ++k) {
    x = next(x, limit);
    used.append(x);
    fresh.append(x);
  }
  Vector one(4), other(4);
  EXPECT_TRUE(used.extrapolate(one));
  EXPECT_TRUE(fresh.extrapolate(other));
  EXPECT_EQ(one, other);
}

TEST(Anderson, WithoutChangesNothingIsExtrapolated) {
  Anderson anderson;
  anderson.restart({});
  for (std::size_t k = 0; k < Anderson::kDepth; ++k) anderson.append({});
  EXPECT_FALSE(anderson.extrapolate({}));
}

}  // namespace
}  // namespace rota::lasso
