// tests/unit/apps/mf/sgd/pair_kernel_test.cc -- every variant of the kernel against plain loops, bit for bit.
#include "apps/mf/kernels.h"
#include "rota/numerics/portable_math.h"
#include "rota/seed_mixer.h"
#include "tests/unit/apps/mf/drawn_rows.h"

namespace rota::tests {
namespace {

using mf::Cell;
using mf::PairStep;

// Moves a row against  penalty x row - pull.
void plain_pull(PlainRow& row, const std::vector<float>& pull, const Cell& cell) {
  float first[16] = {}, others[16] = {};
  const std::vector<float> old = row.factors;
  for (std::size_t k = 0; k < old.size() && (k < 16 || !cell.first_only); ++k) {
    const float gradient = row.penalty.factors * old[k] - pull[k];
    float* const squares = k < 16 ? first : others;
    squares[k % 16] += gradient * gradient;
    const float rate = cell.first_only && k >= 8 ? 0 : cell.rate / std::sqrt(row.tail[k < 8 ? 0 : 1]);
    row.factors[k] = clipped(old[k] - rate * gradient, cell.nonnegative);
  }
  row.tail[0] += fold_eight(first) * cell.first_share;
  if (!cell.first_only)
    row.tail[1] += (fold_eight(first + 8) + (fold_eight(others) + fold_eight(others + 8))) * cell.others_share;
}

double plain_pair(PlainRow& p, PlainRow& a, PlainRow& b, const Cell& cell) {
  float lanes[16] = {};
  for (std::size_t k = 0; k < p.factors.size(); ++k) lanes[k % 16] += p.factors[k] * (a.factors[k] - b.factors[k]);
  float x = fold_eight(lanes) + fold_eight(lanes + 8);
  if (cell.biases) x += a.tail[2] - b.tail[2];
  const auto s = static_cast<float>(sigmoid(-static_cast<double>(x)));
  std::vector<float> of_p, of_a, of_b;
  for (std::size_t k = 0; k < p.factors.size(); ++k) {
    of_p.push_back(s * (a.factors[k] - b.factors[k]));
    of_a.push_back(s * p.factors[k]);
    of_b.push_back(-s * p.factors[k]);
  }
  plain_pull(p, of_p, cell);
  plain_pull(a, of_a, cell);
  plain_pull(b, of_b, cell);
  if (cell.biases) {
    mf::move_bias<true>(a.tail.data(), a.penalty.bias, s, cell.rate, cell.first_share > 0);
    mf::move_bias<true>(b.tail.data(), b.penalty.bias, -s, cell.rate, cell.first_share > 0);
  }
  return log_loss_of(static_cast<double>(x));
}

void compare(std::uint32_t rank, int bits) {
  Random random = random_named({rank, static_cast<std::uint64_t>(bits)});
  Cell cell{};
  cell.chunks = (rank + 15) / 16;
  cell.rate = 0.1F;
  cell.biases = (bits & 1) != 0;
  cell.nonnegative = (bits & 2) != 0;
  cell.first_only = (bits & 4) != 0;
  if (bits & 8) {
    cell.first_share = 0.125F;
    cell.others_share = rank > 8 ? 1 / static_cast<float>(rank - 8) : 0;
  }
  DrawnRows residents(5, rank, cell.biases, 0.125F, random), visitors(7, rank, cell.biases, 0.125F, random);
  std::vector<PairStep> steps;
  for (int i = 0; i < 61; ++i) {
    const auto rated = static_cast<std::uint32_t>(random.below(7));
    steps.push_back({static_cast<std::uint32_t>(random.below(5)), rated,
                     static_cast<std::uint32_t>((rated + 1 + random.below(6)) % 7)});
  }
  cell.resident = residents.pointers();
  cell.visiting = visitors.pointers();
  const double losses = mf::kernels().run_pairs(cell, steps.data(), steps.size());
  double expected = 0;
  for (const PairStep& one : steps)
    expected += plain_pair(residents.plain[one.resident], visitors.plain[one.rated], visitors.plain[one.other], cell);
  EXPECT_EQ(losses, expected);
  residents.expect_equal();
  visitors.expect_equal();
}

TEST(PairKernel, EveryVariantMakesTheStepsOfPlainLoops) {
  for (const std::string& variant : kernel_variants())
    for (const std::uint32_t rank : {1U, 7U, 8U, 20U, 32U, 64U})
      for (int bits = 0; bits < 16; ++bits) {
        SCOPED_TRACE(variant + " rank " + std::to_string(rank) + " kind " + std::to_string(bits));
        ::setenv("ROTA_MF_KERNEL", variant.c_str(), 1);
        compare(rank, bits);
        ::unsetenv("ROTA_MF_KERNEL");
        if (HasFatalFailure()) return;
      }
}

// The step of the formula, by differences of the loss.
TEST(PairKernel, AStepGoesDownTheGradientOfTheLoss) {
  Random random = random_named({5});
  Cell cell{};
  cell.chunks = 1;
  cell.rate = 1e-3F;
  DrawnRows residents(1, 16, false, 0.125F, random), visitors(2, 16, false, 0.125F, random);
  for (DrawnRows* rows : {&residents, &visitors}) {
    for (float& tail : rows->tails) tail = 1;
    for (mf::Penalty& penalty : rows->penalties) penalty = {};
  }
  cell.resident = residents.pointers();
  cell.visiting = visitors.pointers();
  const auto p = residents.factors, q = visitors.factors;
  const auto loss = [&](const auto& of_p, const auto& of_q) {
    double x = 0;
    for (std::size_t k = 0; k < 16; ++k)
      x += static_cast<double>(of_p[k]) * (static_cast<double>(of_q[k]) - static_cast<double>(of_q[16 + k]));
    return std::log1p(std::exp(-x));
  };
  const PairStep step{0, 0, 1};
  EXPECT_NEAR(mf::kernels().run_pairs(cell, &step, 1), loss(p, q), 1e-6);
  constexpr float kSmall = 1e-2F;
  for (std::size_t k = 0; k < 16; ++k) {
    auto up = p, down = p;
    up[k] += kSmall, down[k] -= kSmall;
    EXPECT_NEAR((p[k] - residents.factors[k]) / cell.rate, (loss(up, q) - loss(down, q)) / 2e-2, 1e-3);
    for (const std::size_t row : {0U, 16U}) {
      auto more = q, less = q;
      more[row + k] += kSmall, less[row + k] -= kSmall;
      EXPECT_NEAR((q[row + k] - visitors.factors[row + k]) / cell.rate, (loss(p, more) - loss(p, less)) / 2e-2, 1e-3);
    }
  }
}

}  // namespace
}  // namespace rota::tests
