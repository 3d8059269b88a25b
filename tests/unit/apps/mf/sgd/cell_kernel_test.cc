// tests/unit/apps/mf/sgd/cell_kernel_test.cc -- every variant of the kernel against plain loops, bit for bit.
#include "apps/mf/kernels.h"
#include "rota/seed_mixer.h"
#include "tests/unit/apps/mf/drawn_rows.h"

namespace rota::tests {
namespace {

using mf::Cell;
using mf::CellRating;

struct Kind {
  std::uint32_t rank;
  bool biases, nonnegative, first_only, adapts, own_penalties, logistic = false;
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
  cell.first_share = kind.adapts ? 0.125F : 0;
  cell.others_share = kind.adapts && kind.rank > 8 ? 1 / static_cast<float>(kind.rank - 8) : 0;
  cell.first_only = kind.first_only;
  cell.nonnegative = kind.nonnegative;
  cell.biases = kind.biases;
  cell.careful_square = kind.own_penalties ? -1 : mf::kLargeSquare;  // those of biases are up to 20
  cell.logistic = kind.logistic;
  const double squares = mf::kernels().run_cell(cell);
  double expected = 0;
  for (const CellRating& one : list)
    expected += plain_step(residents.plain[one.resident], visitors.plain[one.visiting], one.value, cell);
  EXPECT_EQ(squares, expected);
  residents.expect_equal();
  visitors.expect_equal();
}

class CellKernel : public testing::Test {
 protected:
  ~CellKernel() override { ::unsetenv("ROTA_MF_KERNEL"); }
};

TEST_F(CellKernel, EveryVariantMakesTheStepsOfPlainLoops) {
  for (const std::string& variant : kernel_variants()) {
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
  EXPECT_THROW(mf::kernels(), std::runtime_error);
}

}  // namespace
}  // namespace rota::tests
