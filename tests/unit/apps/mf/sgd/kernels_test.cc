// tests/unit/apps/mf/sgd/kernels_test.cc -- the kernels against plain loops, bit for bit.
#include "apps/mf/sgd/kernels.h"

#include "rota/numerics/portable_math.h"
#include "rota/numerics/seed_mixer.h"
#include "tests/unit/apps/mf/drawn_rows.h"

namespace rota::tests {
namespace {

using mf::Cell;
using mf::CellRating;
using mf::PairStep;

struct Kind {
  std::uint32_t rank;
  bool biases, nonnegative, first_only, own_penalties, logistic = false;
  float spread = 4;  // of the ratings
};

void compare(const Kind& kind, std::uint32_t rows, std::size_t ratings) {
  Random random = random_named({kind.rank, rows, ratings});
  Cell cell{};
  cell.chunks = (kind.rank + 15) / 16;
  const float bias_penalty = kind.own_penalties ? 20 : 0;
  DrawnRows residents(rows, kind.rank, kind.biases, bias_penalty, random),
      visitors(rows, kind.rank, kind.biases, bias_penalty, random);
  std::vector<CellRating> list;
  for (std::size_t i = 0; i < ratings; ++i)
    list.push_back({static_cast<std::uint32_t>(random.below(rows)), static_cast<std::uint32_t>(random.below(rows)),
                    kind.logistic ? static_cast<float>(i % 2) : kind.spread * (random.uniform_float() - 0.5F)});
  cell.ratings = list.data();
  cell.count = list.size();
  cell.resident = residents.pointers();
  cell.visiting = visitors.pointers();
  cell.rate = 0.1F;
  cell.first_share = 0.125F;
  cell.others_share = kind.rank > 8 ? 1 / static_cast<float>(kind.rank - 8) : 0;
  cell.first_only = kind.first_only;
  cell.nonnegative = kind.nonnegative;
  cell.biases = kind.biases;
  cell.careful_square = kind.own_penalties ? -1 : mf::kLargeSquare;  // those of biases are up to 20
  cell.logistic = kind.logistic;
  const double squares = mf::run_cell(cell);
  double expected = 0;
  for (const CellRating& one : list)
    expected += plain_step(residents.plain[one.resident], visitors.plain[one.visiting], one.value, cell);
  EXPECT_EQ(squares, expected);
  residents.expect_equal();
  visitors.expect_equal();
}

TEST(CellKernel, MakesTheStepsOfPlainLoops) {
  for (const std::uint32_t rank : {1U, 7U, 8U, 16U, 20U, 32U, 48U, 64U, 100U, 128U})
    for (int bits = 0; bits < 32; ++bits) {
      const Kind kind{rank, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0};
      SCOPED_TRACE(testing::Message() << "rank " << rank << " kind " << bits);
      compare(kind, 5, 61);
      if (HasFatalFailure()) return;
    }
  compare({32, true, false, false, false}, 40, 4001);
  for (const bool first_only : {false, true})  // errors far beyond the ratings' deviation
    compare({20, true, false, first_only, true, false, 2000}, 9, 500);
  compare({32, false, false, false, false}, 1, 3);  // all steps share their rows
  compare({32, false, false, false, false}, 3, 0);
}

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
    mf::move_bias<true>(a.tail.data(), a.penalty.bias, s, cell.rate);
    mf::move_bias<true>(b.tail.data(), b.penalty.bias, -s, cell.rate);
  }
  return log_loss_of(static_cast<double>(x));
}

void compare_pairs(std::uint32_t rank, int bits) {
  Random random = random_named({rank, static_cast<std::uint64_t>(bits)});
  Cell cell{};
  cell.chunks = (rank + 15) / 16;
  cell.rate = 0.1F;
  cell.biases = (bits & 1) != 0;
  cell.nonnegative = (bits & 2) != 0;
  cell.first_only = (bits & 4) != 0;
  cell.first_share = 0.125F;
  cell.others_share = rank > 8 ? 1 / static_cast<float>(rank - 8) : 0;
  DrawnRows residents(5, rank, cell.biases, 0.125F, random), visitors(7, rank, cell.biases, 0.125F, random);
  std::vector<PairStep> steps;
  for (int i = 0; i < 61; ++i) {
    const auto rated = static_cast<std::uint32_t>(random.below(7));
    steps.push_back({static_cast<std::uint32_t>(random.below(5)), rated,
                     static_cast<std::uint32_t>((rated + 1 + random.below(6)) % 7)});
  }
  cell.resident = residents.pointers();
  cell.visiting = visitors.pointers();
  const double losses = mf::run_pairs(cell, steps);
  double expected = 0;
  for (const PairStep& one : steps)
    expected += plain_pair(residents.plain[one.resident], visitors.plain[one.rated], visitors.plain[one.other], cell);
  EXPECT_EQ(losses, expected);
  residents.expect_equal();
  visitors.expect_equal();
}

TEST(PairKernel, MakesTheStepsOfPlainLoops) {
  for (const std::uint32_t rank : {1U, 7U, 8U, 20U, 32U, 64U})
    for (int bits = 0; bits < 8; ++bits) {
      SCOPED_TRACE("rank " + std::to_string(rank) + " kind " + std::to_string(bits));
      compare_pairs(rank, bits);
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
  EXPECT_NEAR(mf::run_pairs(cell, {&step, 1}), loss(p, q), 1e-6);
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
