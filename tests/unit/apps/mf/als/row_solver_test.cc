#include "apps/mf/als/row_solver.h"

#include "rota/numerics/seed_mixer.h"
#include "tests/unit/apps/mf/plain_solve.h"

namespace rota::tests {
namespace {

constexpr std::size_t kPartners = 400;

class RowSolver : public testing::Test {
 protected:
  static mf::RowForm form_of(const mf::Settings& settings) { return {settings, settings.biases ? 2.5 : 0, 3}; }
  // The row by the normal equations over all partners, each with its confidence.
  std::vector<double> plain(const mf::Settings& settings, const std::vector<mf::Partner>& ratings, double penalty) {
    const mf::RowForm form = form_of(settings);
    std::vector<std::vector<double>> a(form.size, std::vector<double>(form.size));
    std::vector<double> y(form.size), weights(kPartners, settings.implicit ? 1 : 0), targets(kPartners);
    for (const mf::Partner& one : ratings) {
      const auto r = static_cast<double>(one.value);
      const double bias = settings.biases ? 2.5 + numbers_[one.number * form.size + form.rank] : 0;
      weights[one.number] += settings.implicit ? settings.alpha * r : 1;
      targets[one.number] += settings.implicit ? 1 + settings.alpha * r : r - bias;
    }
    for (std::size_t j = 0; j < kPartners; ++j) {
      std::vector<double> q(numbers_.begin() + static_cast<std::ptrdiff_t>(j * form.size),
                            numbers_.begin() + static_cast<std::ptrdiff_t>((j + 1) * form.size));
      if (settings.biases) q.back() = 1;
      for (std::size_t i = 0; i < form.size; ++i) {
        for (std::size_t k = 0; k < form.size; ++k) a[i][k] += weights[j] * q[i] * q[k];
        y[i] += targets[j] * q[i];
      }
    }
    for (std::size_t i = 0; i < form.size; ++i) a[i][i] += i < form.rank ? penalty : 3 * penalty;
    return plain_solve(a, y);
  }
  void compare(const mf::Settings& settings, std::uint32_t cg_steps, std::size_t count) {
    const mf::RowForm form = form_of(settings);
    Random random = random_named({settings.rank, count});
    numbers_.resize(kPartners * form.size);
    for (double& one : numbers_) one = random.uniform() - 0.3;
    std::vector<mf::Partner> ratings;
    for (std::size_t j = 0; j < count; ++j)
      ratings.push_back({static_cast<std::uint32_t>(j), random.uniform_float() * 4});
    LineVector<double> gram;
    mf::gram(numbers_, form, gram);
    mf::RowSolver solver(settings, cg_steps, form);
    std::vector<double> row(form.size, 0.1), expected = plain(settings, ratings, 0.7);
    solver.solve(numbers_, settings.implicit ? gram.data() : nullptr, ratings, 0.7, row);
    for (std::size_t k = 0; k < form.size; ++k) EXPECT_NEAR(row[k], expected[k], 1e-9) << k;
  }

  std::vector<double> numbers_;
};

TEST_F(RowSolver, SolvesTheNormalEquations) {
  for (int bits = 0; bits < 8; ++bits)
    for (const std::size_t count : {3U, 256U, 390U}) {  // in blocks of 256
      mf::Settings settings;
      settings.rank = 11;
      settings.implicit = (bits & 2) != 0;
      settings.biases = (bits & 4) != 0;
      if (!settings.implicit || !settings.biases) compare(settings, (bits & 1) != 0 ? 60 : 0, count);
    }
}

TEST_F(RowSolver, ConjugateGradientsBeginAtTheRowAsItWas) {
  mf::Settings settings;
  settings.rank = 4;
  numbers_.resize(kPartners * 4);
  for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = static_cast<double>(i % 9) - 3.5;
  const std::vector<mf::Partner> ratings = {{1, 2}, {5, 3}, {8, 1}};
  const std::vector<double> solution = plain(settings, ratings, 0.1);
  std::vector<double> row = solution;
  mf::RowSolver(settings, 1, {settings, 0, 1}).solve(numbers_, nullptr, ratings, 0.1, row);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(row[k], solution[k], 1e-12);
}

TEST_F(RowSolver, ARowWithoutRatingsIsZero) {
  mf::Settings settings;
  settings.rank = 3;
  for (const std::uint32_t cg_steps : {0U, 3U}) {
    std::vector<double> row(3, 1);
    mf::RowSolver(settings, cg_steps, {settings, 0, 1}).solve({}, nullptr, {}, 0, row);
    for (const double x : row) EXPECT_NEAR(x, 0, 1e-15);
  }
}

// An absolute penalty or pivot vanished beside such factors, or dominated them.
TEST_F(RowSolver, WithoutAPenaltyFactorsOfAnySizeGiveTheSameRow) {
  for (const std::uint32_t cg_steps : {0U, 60U})
    for (const std::size_t count : {3U, 30U}) {  // of which 3 leave the row open
      mf::Settings settings;
      settings.rank = 9;
      std::vector<double> first;
      for (const double size : {1.0, 0x1p-80, 0x1p80}) {
        Random random = random_named({count});
        numbers_.resize(kPartners * settings.rank);
        for (double& one : numbers_) one = (random.uniform() - 0.3) * size;
        std::vector<mf::Partner> ratings;
        for (std::size_t j = 0; j < count; ++j)
          ratings.push_back({static_cast<std::uint32_t>(j), random.uniform_float() * 4});
        std::vector<double> row(settings.rank);
        mf::RowSolver(settings, cg_steps, {settings, 0, 1}).solve(numbers_, nullptr, ratings, 0, row);
        for (double& one : row) one *= size;
        if (first.empty()) first = row;
        for (std::size_t k = 0; k < row.size(); ++k) EXPECT_EQ(row[k], first[k]) << size;
        for (std::size_t j = 0; count < settings.rank && j < count; ++j) {
          double fitted = 0;
          for (std::size_t k = 0; k < row.size(); ++k) fitted += numbers_[j * settings.rank + k] / size * row[k];
          EXPECT_NEAR(fitted, static_cast<double>(ratings[j].value), 1e-6);
        }
      }
      for (const double x : first) EXPECT_LT(std::abs(x), 50) << "of all that fit, one near 0";
    }
}

}  // namespace
}  // namespace rota::tests
