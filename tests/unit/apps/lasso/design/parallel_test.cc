// The parallel loop of the readers: every step once for any threads, and one exception of several.
#include "apps/lasso/design/parallel.h"

namespace rota::linear {
namespace {

TEST(RunInParallel, TakesEveryStepOnce) {
  for (const int threads : {1, 2, 4}) {
    tbb::task_arena arena(threads);
    for (const std::size_t count : {0, 1, 3, 1000}) {
      std::vector<int> taken(count, 0);
      arena.execute([&] { run_in_parallel(count, [&](std::size_t i) { ++taken[i]; }); });
      EXPECT_EQ(taken, std::vector<int>(count, 1)) << threads << " threads, " << count << " steps";
    }
  }
}

TEST(RunInParallel, ThrowsWhatTheFirstWrongStepThrew) {
  tbb::task_arena arena(4);
  for (int turn = 0; turn < 100; ++turn) {
    std::atomic<int> wrong = 0;
    try {
      arena.execute([&] {
        run_in_parallel(64, [&](std::size_t i) {
          if (i < 7) return;
          ++wrong;
          throw std::runtime_error("step " + std::to_string(i));
        });
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "step 7");
    }
    EXPECT_LE(wrong, 4) << "steps were begun after an error";
  }
}

}  // namespace
}  // namespace rota::linear
