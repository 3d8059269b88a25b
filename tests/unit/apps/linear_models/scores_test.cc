#include "apps/linear_models/scores.h"

namespace rota::linear {
namespace {

TEST(NumberScores, AreMembersOfAJsonObject) {
  const double links[] = {1, 3}, truth[] = {2, 6};
  std::ostringstream out;
  write_number_scores(links, truth, out);
  EXPECT_EQ(out.str(), ", \"mse\": 5, \"mae\": 2, \"r2\": -0.25");
}

TEST(ClassScores, GoByTheDatasOwnLabels) {
  const double links[] = {0.0, 1e6, -1e6, 1e6}, labels[] = {3, 7, 3, 7};
  std::ostringstream out;
  write_class_scores(links, labels, ClassLabels({3, 7}), out);
  EXPECT_EQ(out.str(), ", \"labels\": [3, 7], \"log_loss\": 0.17328679513998632, \"accuracy\": 1, \"auc\": 1");
}

TEST(ClassScores, NaNIsNull) {
  const double links[] = {1e308 * 10, 1}, labels[] = {-1, -1};
  std::ostringstream out;
  write_class_scores(links, labels, ClassLabels({-1, 1}), out);
  EXPECT_EQ(out.str(), ", \"labels\": [-1, 1], \"log_loss\": null, \"accuracy\": 0, \"auc\": null");
}

}  // namespace
}  // namespace rota::linear
