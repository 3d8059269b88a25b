// tests/unit/apps/mf/sgd/cell_kernel_test.cc -- every variant of the kernel against plain loops, bit for bit.
#include "apps/mf/sgd/cell_kernel.h"

#include <cstdlib>
#include <cstring>

#include "apps/mf/factor_rows.h"
#include "rota/seed_mixer.h"
#include "tests/unit/apps/mf/plain_step.h"

namespace rota::tests {
namespace {

using mf::Cell;
using mf::CellRating;
using mf::FactorRows;

struct Kind {
  std::uint32_t rank;
  bool biases, nonnegative, first_only, adapts, own_penalties, logistic = false;
  float spread = 4;  // of the ratings
};

struct Side {
  std::vector<PlainRow> rows;
  LineVector<float> factors;
  std::vector<float> tails;
  std::vector<mf::Penalty> penalties;

  Side(std::size_t count, const Kind& kind, std::uint32_t chunks, Random& random) : rows(count) {
    for (PlainRow& row : rows) {
      row.factors.resize(std::size_t{chunks} * 16);
      for (std::uint32_t k = 0; k < kind.rank; ++k) row.factors[k] = random.uniform_float() - 0.25F;
      row.tail = {1 + random.uniform_float(), 1 + random.uniform_float()};
      if (kind.biases) row.tail.insert(row.tail.end(), {random.uniform_float() - 0.5F, 1});
      row.penalty = {0.03F, 0.05F};
      if (kind.own_penalties) row.penalty = {random.uniform_float() / 8, random.uniform_float() * 20};
      factors.insert(factors.end(), row.factors.begin(), row.factors.end());
      tails.insert(tails.end(), row.tail.begin(), row.tail.end());
      penalties.push_back(row.penalty);
    }
  }
  mf::RowPointers pointers(bool own_penalties) {
    return {factors.data(), tails.data(), {0.03F, 0.05F}, own_penalties ? penalties.data() : nullptr};
  }
  void expect_equal() const {
    const std::size_t width = rows[0].factors.size(), tail = rows[0].tail.size();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t k = 0; k < width; ++k) ASSERT_EQ(factors[r * width + k], rows[r].factors[k]) << r << " " << k;
      for (std::size_t k = 0; k < tail; ++k) ASSERT_EQ(tails[r * tail + k], rows[r].tail[k]) << r << " tail " << k;
    }
  }
};

void compare(const Kind& kind, std::uint32_t rows, std::size_t ratings) {
  Random random = random_named({kind.rank, rows, ratings});
  Cell cell{};
  cell.chunks = (kind.rank + 15) / 16;
  Side residents(rows, kind, cell.chunks, random), visitors(rows, kind, cell.chunks, random);
  std::vector<CellRating> list;
  for (std::size_t i = 0; i < ratings; ++i)
    list.push_back({static_cast<std::uint32_t>(random.below(rows)), static_cast<std::uint32_t>(random.below(rows)),
                    kind.logistic ? static_cast<float>(i % 2) : kind.spread * (random.uniform_float() - 0.5F)});
  cell.ratings = list.data();
  cell.count = list.size();
  cell.resident = residents.pointers(kind.own_penalties);
  cell.visiting = visitors.pointers(kind.own_penalties);
  cell.rate = 0.1F;
  cell.first_share = kind.adapts ? 0.125F : 0;
  cell.others_share = kind.adapts && kind.rank > 8 ? 1 / static_cast<float>(kind.rank - 8) : 0;
  cell.first_only = kind.first_only;
  cell.nonnegative = kind.nonnegative;
  cell.biases = kind.biases;
  cell.careful_square = kind.own_penalties ? -1 : mf::kLargeSquare;  // those of biases are up to 20
  cell.logistic = kind.logistic;
  const double squares = mf::choose_kernel()(cell);
  double expected = 0;
  for (const CellRating& one : list)
    expected += plain_step(residents.rows[one.resident], visitors.rows[one.visiting], one.value, cell);
  EXPECT_EQ(squares, expected);
  residents.expect_equal();
  visitors.expect_equal();
}

// Those that this processor can run.
std::vector<std::string> variants() {
  std::vector<std::string> out = {"baseline"};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3")) out.emplace_back("v3");
  if (__builtin_cpu_supports("x86-64-v4")) out.emplace_back("v4");
#endif
  return out;
}

class CellKernel : public testing::Test {
 protected:
  ~CellKernel() override { ::unsetenv("ROTA_MF_KERNEL"); }
};

TEST_F(CellKernel, EveryVariantMakesTheStepsOfPlainLoops) {
  for (const std::string& variant : variants()) {
    SCOPED_TRACE(variant);
    ::setenv("ROTA_MF_KERNEL", variant.c_str(), 1);
    for (const std::uint32_t rank : {1U, 7U, 8U, 16U, 20U, 32U, 48U, 64U, 100U, 128U})
      for (int bits = 0; bits < 64; ++bits) {
        const Kind kind{rank,
                        (bits & 1) != 0,
                        (bits & 2) != 0,
                        (bits & 4) != 0,
                        (bits & 8) != 0,
                        (bits & 16) != 0,
                        (bits & 32) != 0};
        SCOPED_TRACE(testing::Message() << "rank " << rank << " kind " << bits);
        compare(kind, 5, 61);
        if (HasFatalFailure()) return;
      }
    compare({32, true, false, false, true, false}, 40, 4001);
    for (const bool first_only : {false, true})  // errors far beyond the ratings' deviation
      compare({20, true, false, first_only, true, true, false, 2000}, 9, 500);
    compare({32, false, false, false, true, false}, 1, 3);  // all steps share their rows
    compare({32, false, false, false, true, false}, 3, 0);
  }
}

TEST_F(CellKernel, AnUnknownVariantIsRefused) {
  ::setenv("ROTA_MF_KERNEL", "v9", 1);
  EXPECT_THROW(mf::choose_kernel(), std::runtime_error);
}

}  // namespace
}  // namespace rota::tests
