// tests/apps/linear_warm_test.cc -- jobs that begin with another job's model, of their own app or of the other.
#include "apps/sgd/pull.h"
#include "rota/error.h"
#include "tests/apps/linear_optimum.h"

namespace rota::tests {
namespace {

class LinearWarm : public LinearOptimum {
 protected:
  // A job that begins with the model of `before`, which must outlive it.
  Job after(const SerialHost& before, const Given& options, double most = 2) {
    Job next = job(options, most);
    next.initial = std::make_shared<SerialModel>(before);
    return next;
  }
  static double objective_of(const SerialHost& host) {
    auto terms = terms_of(host);
    return terms["loss"] + terms["penalty"];
  }
};

TEST_F(LinearWarm, ItBeginsWhereTheOtherEnded) {
  for (const char* const before : {"adagrad", "ftrl", "sgd", "newton", "svrg"})
    for (const char* const next : {"adagrad", "ftrl", "sgd", "newton", "svrg"}) {
      const Given common = {{"l2", "0.05"}, {"learning_rate", "0.5"}, {"epochs", "5"}, {"shards", "8"}};
      Given first = common, second = common;
      first[option_of(before)] = before;
      second[option_of(next)] = next;
      for (Given* const given : {&first, &second})
        if (!given->contains("solver")) (*given)["sync_rows"] = "20";
      LinearHost one(job(first));
      one.run();
      LinearHost other(after(one, second));
      EXPECT_EQ(weights_of(other), weights_of(one)) << before << ", " << next;
      EXPECT_EQ(objective_of(other), objective_of(one)) << before << ", " << next;
      if (before == std::string(next) && before[0] != 'n' && before[1] != 'v') {
        for (Key key = 0; key < kKeys; ++key)
          EXPECT_EQ(other.row(linear::kWeights, key), one.row(linear::kWeights, key))
              << "its state continues, too: " << next;
      }
      other.run();
      EXPECT_LT(objective_of(other), objective_of(one) + 2e-2) << before << ", " << next << ": the optimum is kept";
    }
}

// Counting continues: the rate of plain steps falls with the rows seen.
TEST_F(LinearWarm, RowsSeenAreCountedOverAllJobs) {
  const Given options = {{"optimizer", "sgd"}, {"shards", "2"}, {"epochs", "3"}, {"sync_rows", "30"}};
  LinearHost one(job(options));
  one.run();
  LinearHost two(after(one, options));
  two.run();
  LinearHost three(after(two, options));
  double seen = 0;
  three.watch([&](const Round& round, std::uint32_t) { seen = round.argument.as<sgd::RoundOfSteps>().seen(); });
  three.run_epoch();
  EXPECT_EQ(seen, 45.0 * (3 + 3) + 30) << "the last of the epoch's three rounds";
}

TEST_F(LinearWarm, MoreEpochsAreNotWorse) {
  const Given options = {{"l2", "0.02"}, {"sync_rows", "30"}, {"epochs", "4"}};
  LinearHost one(job(options));
  one.run();
  LinearHost other(after(one, options));
  other.run();
  EXPECT_LE(objective_of(other), objective_of(one));
}

// AdaGrad began without squares, and its first steps destroyed the model.
TEST_F(LinearWarm, AnOptimumIsKept) {
  for (const auto& [loss, optimizer] : {std::pair{"hinge", "svm"}, {"logistic", "newton"}, {"squared", "newton"}}) {
    const Given common = {{"loss", loss}, {"l2", "0.02"}, {"shards", "1"}};
    Given exact = common, one_epoch = common;
    exact[option_of(optimizer)] = optimizer;
    one_epoch["epochs"] = "1";
    LinearHost one(job(exact));
    one.run();
    LinearHost other(after(one, one_epoch));
    other.run();
    EXPECT_LT(objective_of(other), objective_of(one) * (loss == std::string("squared") ? 1.2 : 1.05)) << loss;
  }
}

// For numbers the table has the intercept less their mean, which a warm start must take into account.
TEST_F(LinearWarm, TheInterceptOfNumbersIsTheModels) {
  for (double& label : labels_) label += 1e6;
  const Given options = {{"loss", "squared"}, {"epochs", "30"}};
  LinearHost one(job(options, 2e6));
  one.run();
  const std::vector<double> before = weights_of(one);
  EXPECT_NEAR(before[0], 1e6 + 2, 1);
  for (const auto& [name, value] :
       {std::pair{"solver", "newton"}, {"optimizer", "adagrad"}, {"penalize_intercept", "true"}}) {
    Given next = options;
    next[name] = value;
    for (double& label : labels_) label += 1;
    LinearHost other(after(one, next, 2e6));
    for (std::size_t j = 0; j < kKeys; ++j) EXPECT_NEAR(weights_of(other)[j], before[j], 1e-9) << name << " " << j;
  }
}

// The intercept in the table is for columns centred by the job's own means, which differ in the next job.
TEST_F(LinearWarm, ColumnsFarFromZeroMayMove) {
  for (PlainSgd::Row& row : rows_) row[1] += 1.7e9;
  for (const char* const optimizer : {"adagrad", "ftrl", "sgd", "newton", "svrg"}) {
    const Given options = {{option_of(optimizer), optimizer}, {"l2", "0.01"}};
    LinearHost one(job(options));
    one.run();
    for (PlainSgd::Row& row : rows_) row[1] += 1;
    LinearHost other(after(one, options));
    EXPECT_NEAR(weights_of(other)[0] / weights_of(one)[0], 1, 1e-12) << optimizer;
    EXPECT_NEAR(objective_of(other), objective("logistic", weights_of(one), 0.01, false, false), 1e-5) << optimizer;
    other.run();
    EXPECT_NEAR(objective_of(other), objective_of(one), 0.02 * objective_of(one)) << optimizer;
    LinearHost third(after(other, options));
    for (Key key = 0; key < kKeys && optimizer[0] != 'n' && optimizer[1] != 'v'; ++key)
      EXPECT_EQ(third.row(linear::kWeights, key), other.row(linear::kWeights, key)) << "nothing moved: " << optimizer;
  }
}

// All steps of the line search were too long, and the job ended where it began.
TEST_F(LinearWarm, NewtonLeavesAModelThatIsAllButSure) {
  LinearHost one(job({{"optimizer", "sgd"}, {"learning_rate", "1000"}, {"epochs", "1"}}));
  one.run();
  LinearHost other(after(one, {{"solver", "newton"}, {"l2", "1e-9"}}));
  other.run();
  LinearHost plain(job({{"solver", "newton"}, {"l2", "1e-9"}}));
  plain.run();
  EXPECT_EQ(other.converged(), true);
  EXPECT_NEAR(objective_of(other), objective_of(plain), 1e-6);
}

// New features begin at 0, and features missing in the data stay.
TEST_F(LinearWarm, FeaturesMayComeAndGo) {
  const Given options = {{"l2", "0.01"}, {"epochs", "3"}};
  for (PlainSgd::Row& row : rows_) row[kKeys - 1] = 0;
  rows_[0][kKeys - 2] = 1;
  LinearHost one(job(options));
  one.run();
  const std::vector<double> first = weights_of(one);
  for (PlainSgd::Row& row : rows_) {
    row[kKeys - 1] = row[1];
    row[2] = 0;
  }
  LinearHost other(after(one, options));
  EXPECT_EQ(weights_of(other).at(kKeys - 1), 0);
  other.run();
  const std::vector<double> second = weights_of(other);
  EXPECT_NE(second[kKeys - 1], 0);
  EXPECT_EQ(second[2], first[2]);
  EXPECT_NE(second[3], first[3]);
  for (PlainSgd::Row& row : rows_) row[kKeys - 1] = 0;  // only the model has the last feature
  LinearHost third(after(other, options));
  third.run();
  EXPECT_EQ(weights_of(third).at(kKeys - 1), second[kKeys - 1]);
}

TEST_F(LinearWarm, WhatDoesNotFitIsRefused) {
  LinearHost one(job({{"epochs", "1"}, {"bits", "6"}}));
  one.run();
  const auto refusal = [&](const Given& options) {
    return message_of<UsageError>([&] { LinearHost(after(one, options)); });
  };
  EXPECT_NE(refusal({{"bits", "7"}}).find("hashed differently: --bits=6"), std::string::npos);
  EXPECT_NE(refusal({{"bits", "6"}, {"loss", "squared"}}).find("one of model and job has numbers"), std::string::npos);
  EXPECT_NE(refusal({{"bits", "6"}, {"loss", "softmax"}}).find("1 weights for each feature"), std::string::npos);
  for (double& label : labels_) label += 1;
  EXPECT_NE(message_of<DataError>([&] {
              LinearHost(after(one, {{"bits", "6"}}, 3));
            }).find("its classes are 1 and 2, those of the data 2 and 3"),
            std::string::npos);
}

}  // namespace
}  // namespace rota::tests
