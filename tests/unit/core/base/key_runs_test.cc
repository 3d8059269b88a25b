#include "core/base/key_runs.h"

namespace rota {
namespace {

constexpr Key kMost = std::numeric_limits<Key>::max();

TEST(KeyRuns, NeighboursBecomeOneRun) {
  std::vector<KeyRun> runs;
  append_run(runs, {3, 2});
  append_run(runs, {5, 1});
  append_run(runs, {7, 1});
  EXPECT_EQ(runs, (std::vector<KeyRun>{{3, 3}, {7, 1}}));
  EXPECT_EQ(keys_in(runs), 4U);
  std::vector<Key> keys;
  for_each_key(runs, [&](Key key) { keys.push_back(key); });
  EXPECT_EQ(keys, (std::vector<Key>{3, 4, 5, 7}));
}

TEST(KeyRuns, OnlyOrderedDisjointRunsInRangeFit) {
  const KeyRange range{10, 20};
  EXPECT_TRUE(runs_fit({}, range));
  EXPECT_TRUE(runs_fit({{10, 10}}, range));
  EXPECT_TRUE(runs_fit({{10, 1}, {11, 1}, {19, 1}}, range));
  EXPECT_FALSE(runs_fit({{9, 2}}, range));
  EXPECT_FALSE(runs_fit({{19, 2}}, range));
  EXPECT_FALSE(runs_fit({{20, 1}}, range));
  EXPECT_FALSE(runs_fit({{12, 0}}, range));
  EXPECT_FALSE(runs_fit({{12, 3}, {14, 1}}, range));
  EXPECT_FALSE(runs_fit({{14, 1}, {12, 1}}, range));
  EXPECT_FALSE(runs_fit({{12, kMost}}, range)) << "the sum of both is below its first";
  EXPECT_FALSE(runs_fit({{5, 1}}, {}));
  EXPECT_TRUE(runs_fit({{kMost - 1, 1}}, {0, kMost}));
}

}  // namespace
}  // namespace rota
