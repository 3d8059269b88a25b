#include "apps/mf/settings.h"

#include <cmath>

namespace rota::mf {

std::string_view name_of(Loss loss) {
  return loss == Loss::squared ? "squared" : loss == Loss::logistic ? "logistic" : "bpr";
}

double base_of(const Settings& settings, double mean, double deviation) {
  constexpr double kFar = 16;
  if (settings.kind() != RatingKind::ratings) return 0;
  if (settings.biases) return mean;
  if (std::abs(mean) <= kFar * deviation) return 0;
  // Without factors below 0, ratings below the base cannot be reached: few are.
  return settings.nonnegative ? mean - 4 * deviation : mean;
}

double penalty_scale(const Settings& settings, double deviation) {
  const bool scaled = !settings.lambda && settings.kind() == RatingKind::ratings;
  return scaled && power_of_256(deviation) != 1 ? deviation : 1;
}

double power_of_256(double number) {
  int exponent = 0;
  (void)std::frexp(number, &exponent);
  return std::ldexp(1, 8 * static_cast<int>(std::floor((exponent + 3) / 8.0)));
}

}  // namespace rota::mf
