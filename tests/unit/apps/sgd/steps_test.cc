#include "apps/sgd/steps.h"

#include "apps/linear_models/local_pass.h"
#include "rota/numerics/seed_mixer.h"
#include "tests/unit/apps/linear_models/plain_sgd.h"

namespace rota::sgd {
namespace {

using tests::PlainSgd;

constexpr std::size_t kKeys = 12, kRows = 90;

class Pass : public testing::TestWithParam<std::tuple<Loss, Optimizer, bool>> {
 protected:
  void SetUp() override {
    const auto [loss, optimizer, weighted] = GetParam();
    static const char* const kLosses[] = {"logistic", "squared", "hinge", "squared_hinge", "softmax"};
    static const char* const kOptimizers[] = {"sgd", "adagrad", "ftrl"};
    loss_ = loss;
    const double l1 = weighted ? 0 : 0.002;
    steps_ = {{l1, 0.01}, 0.3};
    all_.outputs = loss == Loss::softmax ? 3 : 1;
    plain_ = {
        kLosses[static_cast<int>(loss)], kOptimizers[static_cast<int>(optimizer)], 0.3, l1, 0.01, all_.outputs, {}, {}};
    Random random = random_named({7});
    for (std::size_t j = 0; j < kKeys; ++j) {
      const float presence = j == linear::kIntercept ? 0 : 1 + 4 * random.uniform_float();
      all_.scales.push_back({presence, 0.5F + random.uniform_float()});
      plain_.presence.push_back(static_cast<double>(presence));
      plain_.scale.push_back(static_cast<double>(all_.scales[j].step));
    }
    for (std::size_t r = 0; r < kRows; ++r) add_row(random, weighted);
  }
  void add_row(Random& random, bool weighted) {
    PlainSgd::Row row(kKeys);
    for (std::size_t j = 0; j + 1 < kKeys; ++j) {  // the last feature is in no row
      if (j != linear::kIntercept && random.uniform() < 0.6) continue;
      const float value = j == linear::kIntercept ? 1 : 2 * random.uniform_float() - 1;
      row[j] = static_cast<double>(value);
      data_.rows.add_entry({static_cast<std::uint32_t>(j), value});
    }
    data_.rows.end_row();
    rows_.push_back(row);
    const bool positive = row[1] + row[2] - row[3] > 0.2 * random.uniform();
    data_.targets.push_back(loss_ == Loss::softmax   ? static_cast<double>(random.below(3))
                            : loss_ == Loss::squared ? row[1] - 2 * row[4]
                            : positive               ? 1.0
                                                     : -1.0);
    if (weighted) data_.weights.push_back(2 * random.uniform());
  }

  template <typename F>
  auto with_step(const F& f) const {
    switch (std::get<Optimizer>(GetParam())) {
      case Optimizer::sgd:
        return f(PlainStep(steps_));
      case Optimizer::adagrad:
        return f(AdagradStep(steps_, {all_.scales, {}, {}}));
      default:
        return f(FtrlStep(steps_, all_.scales));
    }
  }
  double run(linear::LocalPass& pass, std::span<const std::uint32_t> order, double seen, std::span<const double> table,
             std::span<const std::uint32_t> keys) const {
    return with_step([&](const auto& step) { return pass.run(step, data_, order, seen, table, keys); });
  }
  linear::Settings settings(std::uint32_t state_width, bool shares) const {
    linear::Settings settings;
    settings.loss = loss_;
    settings.state_width = state_width;
    settings.shares_state = shares;
    return settings;
  }

  Loss loss_;
  StepSettings steps_;
  PlainSgd plain_;
  linear::SharedData all_;
  linear::ShardRows data_;
  std::vector<PlainSgd::Row> rows_;
};

TEST_P(Pass, MakesTheStepsOfPlainLoops) {
  const auto state_width = 1 + static_cast<std::uint32_t>(std::get<Optimizer>(GetParam()));
  const linear::Settings settings = this->settings(state_width, state_width == 2);
  const linear::RowLayout layout = settings.layout(all_.outputs);
  const std::size_t width = layout.width();
  linear::LocalPass pass(settings, all_);
  std::vector<std::uint32_t> keys(kKeys - 1);
  std::iota(keys.begin(), keys.end(), 0U);
  std::vector<double> table(kKeys * width);
  PlainSgd::Table expected(kKeys, std::vector<PlainSgd::State>(plain_.outputs));
  // Three runs: the later ones begin where the ones before ended, as another round does.  The last is told its
  // features.
  for (std::size_t run = 0; run < 3; ++run) {
    std::vector<std::uint32_t> order(kRows / 3);
    std::iota(order.begin(), order.end(), static_cast<std::uint32_t>(run * kRows / 3));
    double losses = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
      losses += plain_.step(expected, rows_[order[i]], data_.targets[order[i]],
                            data_.weights.empty() ? 1 : data_.weights[order[i]], static_cast<double>(run * 30 + i + 1));
    EXPECT_NEAR(
        this->run(pass, order, static_cast<double>(run * 30), table, std::span(keys).first(run < 2 ? 0 : keys.size())),
        losses, 1e-9);
    for (const std::uint32_t key : pass.touched())
      std::copy(pass.state(key).begin(), pass.state(key).end(), table.begin() + static_cast<long>(key * width));
    EXPECT_EQ(pass.touched().size(), kKeys - 1);
    for (std::size_t j = 0; j + 1 < kKeys; ++j)
      for (std::size_t k = 0; k < plain_.outputs; ++k) {
        const double* const state = table.data() + j * width + k * layout.stride;
        EXPECT_NEAR(state[0], expected[j][k].w, 1e-9) << j;
        if (layout.stride > 1) {
          EXPECT_NEAR(state[1], expected[j][k].a, 1e-9);
        } else if (layout.shared > 0) {
          EXPECT_NEAR(table[(j + 1) * width - 1], expected[j][0].a, 1e-9);
        }
        if (state_width > 2) {
          EXPECT_NEAR(state[2], expected[j][k].b, 1e-9);
        }
      }
  }
}

// Of a feature that all rows have.
TEST_P(Pass, AveragesTheWeightsAfterEachRow) {
  with_step([&]<typename Step>(const Step& step) {
    const linear::Settings plain = settings(Step::kWidth, Step::kShares);
    const linear::Settings averaging = settings(Step::kWidth + 1, Step::kShares);
    const linear::RowLayout layout = plain.layout(all_.outputs), averaged = averaging.layout(all_.outputs);
    std::vector<std::uint32_t> order(kRows);
    std::iota(order.begin(), order.end(), 0U);
    linear::LocalPass pass(plain, all_), averaged_pass(averaging, all_);
    std::vector<double> sums(all_.outputs);
    for (std::size_t rows = 1; rows <= kRows; ++rows) {
      pass.run(step, data_, std::span(order).first(rows), 0, std::vector<double>(kKeys * layout.width()), {});
      for (std::size_t k = 0; k < all_.outputs; ++k) sums[k] += pass.state(linear::kIntercept)[k * layout.stride];
    }
    averaged_pass.run(AveragedStep(step), data_, order, 0, std::vector<double>(kKeys * averaged.width()), {});
    for (std::size_t k = 0; k < all_.outputs; ++k)
      EXPECT_NEAR(averaged_pass.state(linear::kIntercept)[(k + 1) * averaged.stride - 1], sums[k] / kRows, 1e-9);
  });
}

INSTANTIATE_TEST_SUITE_P(
    All, Pass,
    testing::Combine(testing::Values(Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge, Loss::softmax),
                     testing::Values(Optimizer::sgd, Optimizer::adagrad, Optimizer::ftrl), testing::Bool()));

}  // namespace
}  // namespace rota::sgd
