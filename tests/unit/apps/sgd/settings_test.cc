#include "apps/sgd/settings.h"

#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::sgd {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

Options with(Given given) {
  Given values;
  for (const Option& option : declared_options<Settings>()) values[std::string(option.name)] = option.default_value;
  for (const auto& [name, value] : given) values[name] = value;
  return Options(values);
}

TEST(SgdSettings, DefaultsDependOnTheOptimizer) {
  EXPECT_EQ(settings_of(with({})).optimizer, Optimizer::adagrad);
  EXPECT_LT(settings_of(with({})).rate, settings_of(with({{"optimizer", "sgd"}})).rate);
  EXPECT_EQ(settings_of(with({{"optimizer", "sgd"}, {"learning_rate", "0.5"}})).rate, 0.5);
  EXPECT_EQ(settings_of(with({{"loss", "softmax"}})).loss, Loss::softmax);
  EXPECT_FALSE(settings_of(with({})).held_out);
  EXPECT_TRUE(settings_of(with({{"valid", "file"}})).held_out);
}

TEST(SgdSettings, WhatDoesNotGoTogetherIsRefused) {
  EXPECT_THROW(check(with({{"loss", "squared"}, {"class_weights", "balanced"}})), UsageError);
  for (const Given& wrong : {Given{{"loss", "softmax"}, {"one_against_rest", "true"}},
                             {{"optimizer", "svm"}, {"l2", "1"}},
                             {{"optimizer", "svm"}, {"loss", "hinge"}},
                             {{"optimizer", "newton"}, {"loss", "hinge"}},
                             {{"optimizer", "ftrl"}, {"exchange", "butterfly"}},
                             {{"optimizer", "newton"}, {"exchange", "allreduce"}},
                             {{"optimizer", "newton"}, {"l1", "1"}},
                             {{"optimizer", "svrg"}, {"loss", "hinge"}},
                             {{"optimizer", "svrg"}, {"exchange", "alltoall"}},
                             {{"optimizer", "svrg"}, {"stream", "true"}}})
    EXPECT_THROW(check(with(wrong)), UsageError);
  EXPECT_NO_THROW(check(with({{"optimizer", "svm"}, {"loss", "hinge"}, {"l2", "1"}})));
  EXPECT_NO_THROW(check(with({{"optimizer", "svrg"}, {"loss", "softmax"}, {"l1", "1"}})));
  EXPECT_NO_THROW(check(with({{"loss", "hinge"}, {"class_weights", "balanced"}})));
}

}  // namespace
}  // namespace rota::sgd
