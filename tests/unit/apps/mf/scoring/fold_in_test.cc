#include "apps/mf/scoring/fold_in.h"

#include "tests/unit/apps/mf/small_model.h"

namespace rota::tests {
namespace {

using ItemRating = mf::Partner;
using mf::NewUser;

double loss(const mf::TrainedModel& model, const std::vector<ItemRating>& ratings, const NewUser& user) {
  const double times = model.settings.by_rating ? static_cast<double>(ratings.size()) : 1;
  double sum = model.settings.penalty * times * (mf::dot(user.factors, user.factors) + user.bias * user.bias);
  for (const ItemRating& one : ratings) {
    const double error = static_cast<double>(one.value) - model.items.biases[one.number] - user.bias -
                         mf::dot(user.factors, model.items.row(one.number));
    sum += error * error;
  }
  return sum;
}

class MfFoldIn : public testing::Test {
 protected:
  std::vector<ItemRating> ratings() {
    std::vector<ItemRating> out;
    for (std::uint32_t i = 0; i < 12; ++i)
      out.push_back({i * 3, static_cast<float>(1 + i % 5) - 2.0F * static_cast<float>(i % 2)});
    return out;
  }
  // No step away from it lowers the loss.
  void expect_least(const NewUser& user) {
    const double least = loss(model_, ratings(), user);
    for (std::size_t k = 0; k <= model_.settings.rank; ++k)
      for (const double step : {-0.01, 0.01}) {
        NewUser other = user;
        double value = 0;
        if (k == model_.settings.rank)
          value = other.bias += model_.settings.biases ? step : 0;
        else
          value = other.factors[k] += static_cast<float>(step);
        if (model_.settings.nonnegative && k < model_.settings.rank && value < 0) continue;
        EXPECT_LE(least, loss(model_, ratings(), other) + 1e-6) << k;
      }
  }

  mf::TrainedModel model_ = random_model(2, 40, 5);
};

TEST_F(MfFoldIn, IsTheLeastOfTheLoss) {
  for (int bits = 0; bits < 8; ++bits) {
    model_ = random_model(2, 40, 5);
    if ((bits & 1) == 0) model_.base = 0, model_.items.biases.assign(40, 0);
    model_.settings.biases = (bits & 1) != 0;
    model_.settings.by_rating = (bits & 2) != 0;
    model_.settings.nonnegative = (bits & 4) != 0;
    const NewUser user = mf::FoldIn(model_)(ratings());
    EXPECT_EQ(user.factors.size(), 16U);
    EXPECT_EQ(user.bias != 0, model_.settings.biases);
    if (model_.settings.nonnegative) {
      for (const float f : user.factors) EXPECT_GE(f, 0);
    }
    expect_least(user);
  }
}

TEST_F(MfFoldIn, WithoutRatingsOrPenaltyThereAreFactorsToo) {
  model_.settings.penalty = 0;
  for (const std::vector<ItemRating>& some : {std::vector<ItemRating>{}, {{3, 4.0F}}}) {
    const NewUser user = mf::FoldIn(model_)(some);
    for (const float f : user.factors) EXPECT_TRUE(std::isfinite(f));
    EXPECT_NEAR(loss(model_, some, user), 0, 1e-6);
  }
}

// c (1 - p . q)^2 of what was used, (p . q)^2 of all else.
double implicit_loss(const mf::TrainedModel& model, const std::vector<double>& used, const NewUser& user) {
  double sum = model.settings.penalty * mf::dot(user.factors, user.factors);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const double prediction = mf::dot(user.factors, model.items.row(i));
    sum += (1 + model.settings.alpha * used[i]) * std::pow((used[i] > 0 ? 1 : 0) - prediction, 2);
  }
  return sum;
}

TEST_F(MfFoldIn, OfImplicitRatingsAllItemsCount) {
  model_.settings.biases = model_.settings.by_rating = false;
  model_.settings.implicit = true;
  model_.settings.alpha = 2;
  std::vector<double> used(40);
  used[3] = 3;
  used[9] = 1;
  used[22] = 0.5;
  const std::vector<ItemRating> some = {{9, 1}, {3, 2}, {22, 0.5F}, {3, 1}};
  const NewUser user = mf::FoldIn(model_)(some);
  const double least = implicit_loss(model_, used, user);
  for (std::size_t k = 0; k < 5; ++k)
    for (const float step : {-0.01F, 0.01F}) {
      NewUser other = user;
      other.factors[k] += step;
      EXPECT_LT(least, implicit_loss(model_, used, other)) << k;
    }
}

}  // namespace
}  // namespace rota::tests
