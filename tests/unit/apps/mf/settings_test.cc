#include "apps/mf/settings.h"

#include "rota/error.h"
#include "tests/unit/apps/ignored_with.h"

namespace rota::tests {
namespace {

Options with(std::map<std::string, std::string, std::less<>> given) {
  for (const Option& option : mf::options())
    given.try_emplace(std::string(option.name), std::string(option.default_value));
  return Options(given);
}

TEST(MfSettings, DefaultsAndChoices) {
  const mf::Settings plain = mf::settings_of(with({}));
  EXPECT_EQ(plain.rank, 32U);
  EXPECT_TRUE(plain.by_rating);
  EXPECT_EQ(plain.schedule, mf::RateSchedule::adagrad);
  EXPECT_EQ(plain.format.separator, mf::Separator::unknown);
  const mf::Settings other = mf::settings_of(with({{"rank", "8"},
                                                   {"lambda_by", "row"},
                                                   {"rate_schedule", "decay"},
                                                   {"rotate", "users"},
                                                   {"separator", "colons"},
                                                   {"header", "yes"},
                                                   {"biases", "true"},
                                                   {"nonnegative", "true"}}));
  EXPECT_EQ(other.rank, 8U);
  EXPECT_FALSE(other.by_rating);
  EXPECT_EQ(other.schedule, mf::RateSchedule::decay);
  EXPECT_EQ(other.rotates, mf::Rotates::users);
  EXPECT_EQ(other.format.separator, mf::Separator::colons);
  EXPECT_EQ(other.format.header, mf::Header::yes);
  EXPECT_TRUE(other.biases && other.nonnegative);
}

TEST(MfSettings, ImplicitRatingsAreSolvedByAls) {
  const mf::Settings implicit = mf::settings_of(with({{"implicit", "true"}}));
  EXPECT_EQ(implicit.solver, mf::Solver::als);
  EXPECT_EQ(implicit.loss, mf::Loss::squared);
  EXPECT_EQ(implicit.kind(), mf::RatingReader::Kind::counts);
  EXPECT_TRUE(implicit.by_rating);
  EXPECT_FALSE(mf::settings_of(with({{"implicit", "true"}, {"lambda_by", "row"}})).by_rating);
  EXPECT_EQ(mf::settings_of(with({})).solver, mf::Solver::sgd);
  EXPECT_TRUE(mf::settings_of(with({{"solver", "als"}})).by_rating);
}

TEST(MfSettings, APenaltyThatIsNotGivenFollowsTheRatings) {
  const auto penalty = [](std::map<std::string, std::string, std::less<>> given, double deviation) {
    const mf::Settings settings = mf::settings_of(with(given));
    return settings.penalty * mf::penalty_scale(settings, deviation);
  };
  for (const double usual : {0.0625, 1.1, 5.2, 15.9}) EXPECT_EQ(penalty({}, usual), 0.05);
  EXPECT_EQ(penalty({}, 300), 0.05 * 300);
  EXPECT_EQ(penalty({}, 0.03125), 0.05 / 32);
  EXPECT_EQ(penalty({{"lambda", "0.05"}}, 300), 0.05);
  EXPECT_EQ(penalty({{"implicit", "true"}}, 300), 5);
  EXPECT_EQ(penalty({{"loss", "logistic"}}, 0.001), 0.05);
}

TEST(MfSettings, RatingsFarFromZeroHaveTheirMeanAsABase) {
  const mf::Settings plain = mf::settings_of(with({})), biases = mf::settings_of(with({{"biases", "true"}}));
  EXPECT_EQ(mf::base_of(plain, 3.5, 1), 0);
  EXPECT_EQ(mf::base_of(biases, 3.5, 1), 3.5);
  EXPECT_EQ(mf::base_of(plain, -2000, 3), -2000);
  EXPECT_EQ(mf::base_of(mf::settings_of(with({{"nonnegative", "true"}})), 2000, 3), 1988);
  EXPECT_EQ(mf::base_of(mf::settings_of(with({{"implicit", "true"}})), 2000, 3), 0);
  EXPECT_EQ(mf::base_of(mf::settings_of(with({{"loss", "logistic"}, {"biases", "true"}})), 0.999, 0.03), 0);
}

TEST(MfSettings, RoundRobinPenalisesRowsByDefault) {
  const mf::Settings plain = mf::settings_of(with({{"solver", "ccd"}, {"schedule", "round_robin"}}));
  EXPECT_TRUE(plain.round_robin);
  EXPECT_FALSE(plain.by_rating);
  EXPECT_TRUE(
      mf::settings_of(with({{"solver", "ccd"}, {"schedule", "round_robin"}, {"lambda_by", "rating"}})).by_rating);
  const mf::Settings factors = mf::settings_of(with({{"solver", "ccd"}}));
  EXPECT_TRUE(factors.by_rating && !factors.round_robin);
  EXPECT_FALSE(mf::settings_of(with({{"schedule", "round_robin"}})).round_robin) << "it is of another solver";
}

TEST(MfSettings, LossesGoWithTheirKindOfRatings) {
  const mf::Settings plain = mf::settings_of(with({}));
  const mf::Settings paired = mf::settings_of(with({{"implicit", "true"}, {"solver", "sgd"}}));
  EXPECT_EQ(plain.loss, mf::Loss::squared);
  EXPECT_EQ(plain.kind(), mf::RatingReader::Kind::ratings);
  EXPECT_EQ(paired.loss, mf::Loss::bpr);
  EXPECT_EQ(paired.kind(), mf::RatingReader::Kind::counts);
  EXPECT_EQ(paired.rotates, mf::Rotates::items);
  EXPECT_TRUE(paired.by_rating);
  EXPECT_EQ(mf::settings_of(with({{"loss", "logistic"}})).kind(), mf::RatingReader::Kind::labels);
  EXPECT_EQ(mf::name_of(mf::Loss::logistic), "logistic");
}

TEST(MfSettings, ManyFactorsAreSolvedByConjugateGradients) {
  const auto conjugate = [](std::map<std::string, std::string, std::less<>> given) {
    given.emplace("solver", "als");
    return mf::settings_of(with(given)).conjugate;
  };
  EXPECT_FALSE(conjugate({{"rank", "16"}}));
  EXPECT_TRUE(conjugate({{"rank", "17"}}));
  EXPECT_FALSE(conjugate({{"rank", "17"}, {"nonnegative", "true"}}));
  EXPECT_FALSE(conjugate({{"rank", "17"}, {"row_solver", "cholesky"}}));
  EXPECT_TRUE(conjugate({{"row_solver", "cg"}}));
}

TEST(MfSettings, WhatDoesNotGoTogetherIsRefused) {
  using Given = std::map<std::string, std::string, std::less<>>;
  EXPECT_NO_THROW(mf::check(with({})));
  EXPECT_NO_THROW(mf::check(with({{"solver", "als"}, {"biases", "true"}, {"nonnegative", "true"}})));
  EXPECT_NO_THROW(mf::check(with({{"solver", "ccd"}, {"nonnegative", "true"}})));
  for (const Given& right :
       {Given{{"implicit", "true"}}, Given{{"implicit", "true"}, {"valid", "file"}},
        Given{{"implicit", "true"}, {"loss", "squared"}}, Given{{"loss", "logistic"}},
        Given{{"implicit", "true"}, {"solver", "sgd"}, {"biases", "true"}},
        Given{{"implicit", "true"}, {"solver", "sgd"}, {"loss", "bpr"}}, Given{{"solver", "ccd"}, {"loss", "squared"}}})
    EXPECT_NO_THROW(mf::check(with(right)));
  for (const Given& wrong :
       {Given{{"solver", "ccd"}, {"biases", "true"}}, Given{{"loss", "bpr"}},
        Given{{"solver", "ccd"}, {"implicit", "true"}}, Given{{"implicit", "true"}, {"biases", "true"}},
        Given{{"implicit", "true"}, {"loss", "bpr"}}, Given{{"implicit", "true"}, {"loss", "logistic"}},
        Given{{"solver", "als"}, {"loss", "logistic"}}, Given{{"solver", "ccd"}, {"loss", "logistic"}},
        Given{{"implicit", "true"}, {"solver", "sgd"}, {"loss", "squared"}},
        Given{{"implicit", "true"}, {"solver", "sgd"}, {"loss", "logistic"}},
        Given{{"implicit", "true"}, {"solver", "sgd"}, {"rotate", "users"}},
        Given{{"solver", "als"}, {"row_solver", "cg"}, {"nonnegative", "true"}}})
    EXPECT_THROW(mf::check(with(wrong)), UsageError);
}

TEST(MfSettings, AnOptionThatAnotherSwitchesOffIsIgnored) {
  const auto ignored = [](std::map<std::string, std::string, std::less<>> given, const char* option) {
    return ignored_with(mf::options(), mf::framework_needs(), with(std::move(given))).contains(option);
  };
  EXPECT_TRUE(ignored({}, "decay"));
  EXPECT_FALSE(ignored({{"rate_schedule", "decay"}}, "decay"));
  for (const char* name : {"learning_rate", "rotate", "slices_per_shard", "cg_steps", "inner", "alpha", "staleness"})
    EXPECT_TRUE(ignored({{"solver", "als"}, {"row_solver", "cholesky"}}, name)) << name;
  EXPECT_FALSE(ignored({{"solver", "als"}, {"row_solver", "cg"}}, "cg_steps"));
  EXPECT_FALSE(ignored({{"solver", "ccd"}}, "inner"));
  EXPECT_TRUE(ignored({{"solver", "ccd"}, {"schedule", "round_robin"}}, "inner"));
  EXPECT_FALSE(ignored({{"implicit", "true"}}, "alpha"));
  EXPECT_TRUE(ignored({{"implicit", "true"}, {"solver", "sgd"}}, "alpha"));
}

}  // namespace
}  // namespace rota::tests
