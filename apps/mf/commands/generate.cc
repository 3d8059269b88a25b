#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "apps/mf/commands/commands.h"
#include "rota/seed_mixer.h"

namespace rota::mf {
namespace {

constexpr Option kGenerateOptions[] = {
    integer_option("users", "10000", "users", 1, 268435456.0, "Number of users; some may have no rating."),
    integer_option("items", "2000", "items", 1, 268435456.0, "Number of items; some may have no rating."),
    integer_option("ratings", "500000", "ratings", 1, 1e12, "Number of ratings; a pair may have several."),
    integer_option("rank", "8", "factors", 1, 65536, "Rank of the matrix that the ratings are drawn from."),
    real_option("noise", "0.3", "", 0, 1e6, "Standard deviation of the normal noise that is added."),
    real_option("user_power", "2", "", 1, 100,
                "How uneven users are: user U x^power has the x-quantile of the ratings."),
    real_option("item_power", "3", "", 1, 100, "The same for items."),
    integer_option("seed", "1", "", 0, 9'007'199'254'740'992, "Equal seeds give equal ratings."),
};

// A standard normal number (Box and Muller, 1958).
double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// Factors such that a product of two rows has mean 0 and variance 1.
std::vector<float> draw_factors(std::uint64_t rows, std::uint64_t rank, Random& random) {
  const double scale = std::pow(static_cast<double>(rank), -0.25);
  std::vector<float> out(rows * rank);
  for (float& one : out) one = static_cast<float>(scale * normal(random));
  return out;
}

std::uint64_t draw(std::uint64_t count, double power, Random& random) {
  const double at = static_cast<double>(count) * std::pow(random.uniform(), power);
  return std::min(static_cast<std::uint64_t>(at), count - 1);
}

void generate(const Call& call, std::ostream& out) {
  constexpr double kMean = 3;
  const auto whole = [&](std::string_view name) { return static_cast<std::uint64_t>(call.options.integer(name)); };
  const std::uint64_t users = whole("users"), items = whole("items"), rank = whole("rank");
  const double noise = call.options.real("noise");
  const double user_power = call.options.real("user_power"), item_power = call.options.real("item_power");
  Random random = random_from(whole("seed"));
  const std::vector<float> p = draw_factors(users, rank, random), q = draw_factors(items, rank, random);
  for (std::uint64_t left = whole("ratings"); left > 0 && out; --left) {
    const std::uint64_t user = draw(users, user_power, random), item = draw(items, item_power, random);
    double rating = kMean + noise * normal(random);
    for (std::uint64_t k = 0; k < rank; ++k)
      rating += static_cast<double>(p[user * rank + k]) * static_cast<double>(q[item * rank + k]);
    char text[64];
    const char* const end = std::to_chars(text, text + sizeof text, rating, std::chars_format::fixed, 3).ptr;
    out << user << ' ' << item << ' ' << std::string_view(text, end) << '\n';
  }
  if (!out) throw std::runtime_error("the generated data cannot be written");
}

}  // namespace

Command generate_command() {
  return {.name = "generate",
          .summary = "draws ratings of low rank with noise",
          .options = kGenerateOptions,
          .run = generate,
          .needs_model = false};
}

}  // namespace rota::mf
