// The Lasso app over ranges of rows, on the serial host, against plain coordinate descent.

#include "apps/lasso/by_rows/messages.h"
#include "tests/apps/lasso_host.h"
#include "tests/apps/make_job.h"

namespace rota::lasso {
namespace {

using tests::Given;

// The options in words like "path=4".
Given options_in(const std::string& words) {
  Given given;
  std::istringstream in(words);
  for (std::string word; in >> word;) given[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  return given;
}

struct LassoRows : testing::Test {
  LassoRows() { choose("lasso_rows"); }
};

TEST_F(LassoRows, IsPlainCoordinateDescent) {
  for (const char* loss : {"squared", "logistic"}) {
    for (const double density : {0.1, 1.0}) {
      const Data data = random_data(1, 90, 60, density, std::string(loss) == "logistic");
      for (const char* intercept : {"false", "true"}) {
        for (const char* standardize : {"false", "true"}) {
          for (const char* l1_ratio : {"1", "0.5"}) {
            const std::string words = std::string("loss=") + loss + " intercept=" + intercept +
                                      " standardize=" + standardize + " l1_ratio=" + l1_ratio +
                                      " tolerance=1e-9 coordinates=16";
            SCOPED_TRACE(words + ", density " + std::to_string(density));
            const Job job = job_of(data, options_in(words));
            SerialHost host(linked_plugin(), job);
            run(host);
            expect_fits(data, job, host);
          }
        }
      }
    }
  }
}

// Data in which all columns, or all of a group, interfere: without control this diverges at any batch beyond a few.
TEST_F(LassoRows, GroupingConvergesAtEveryBatch) {
  for (const auto& [groups, correlation] : {std::pair(10, 0.9), std::pair(1, 0.5)}) {
    const Data data = correlated_data(60, 2100, static_cast<std::size_t>(groups), correlation);
    for (const char* batch : {"1", "4", "32", "256", "1024"}) {
      SCOPED_TRACE(std::to_string(groups) + " groups, batch " + batch);
      const Job job = job_of(data, {{"coordinates", batch}, {"tolerance", "1e-7"}});
      SerialHost host(linked_plugin(), job);
      const auto figures = run(host);
      expect_optimum(data, job, host, 1e-7);
      EXPECT_EQ(figures.at("undone"), 0) << "blocks separate interfering rows";
      EXPECT_EQ(figures.at("grouped") > 0, std::string(batch) != "1");
    }
  }
}

TEST_F(LassoRows, WithoutControlItDivergesAndIsUndone) {
  const Data data = correlated_data(100, 1200, 1, 0.5);
  const Job job = job_of(data, {{"coordinates", "256"}, {"conflicts", "ignore"}, {"tolerance", "1e-5"}});
  SerialHost host(linked_plugin(), job);
  host.run_epochs(2);  // the start, and the check of the first penalty
  const double before = host.figure("objective");
  std::map<Key, double> batches;
  for (int epoch = 0; epoch < 3; ++epoch) {
    host.run_epoch();
    EXPECT_EQ(host.figure("undone"), 1);
    EXPECT_FALSE(host.figure("objective") < 1e6 * before) << "the guard prevents this";
    EXPECT_EQ(host.figure("coordinates"), 256 >> epoch);
  }
  run(host);
  expect_optimum(data, job, host, 1e-5);
}

TEST_F(LassoRows, AnInfiniteObjectiveIsUndone) {
  Data data = correlated_data(60, 2100, 1, 0.9);
  for (double& y : data.y) y *= 1e120;  // so that a diverging epoch leaves the numbers
  const Job job = job_of(data, {{"coordinates", "1024"}, {"conflicts", "ignore"}, {"tolerance", "1e-3"}});
  SerialHost host(linked_plugin(), job);
  host.run_epochs(3);
  EXPECT_FALSE(std::isfinite(host.figure("objective")));
  EXPECT_EQ(host.figure("undone"), 1);
  host.run_epochs(20);
  EXPECT_TRUE(std::isfinite(host.figure("objective")));
}

TEST_F(LassoRows, AnUndoneEpochLeavesNoTrace) {
  const Data data = correlated_data(60, 400, 1, 0.5);
  const Job job = job_of(data, {{"coordinates", "128"}, {"conflicts", "ignore"}, {"intercept", "true"}});
  SerialHost host(linked_plugin(), job);
  host.run_epochs(2);
  bool undone = false;
  host.watch([&](const Round& round, std::uint32_t) {
    if (round.argument.as<RowsStep>().step != Step::undo) return;
    undone = true;
    const std::vector<double> values = round.argument.as<RowsStep>().values;
    ASSERT_EQ(values.size(), round.shared.size());
    for (std::size_t i = 0; i < round.shared.size(); ++i) {
      if (round.shared[i] == kIntercept) continue;
      EXPECT_EQ(values[i], 0) << "the fit began from zero";
    }
  });
  host.run_epochs(2);
  EXPECT_TRUE(undone);
}

TEST_F(LassoRows, OldAndNewRoundsConvergeAlike) {
  for (const char* order : {"priority", "round_robin", "random"}) {
    for (const char* conflicts : {"group", "drop"}) {
      for (const char* staleness : {"0", "2"}) {
        for (const char* intercept : {"false", "true"}) {
          const std::string words = std::string("order=") + order + " conflicts=" + conflicts +
                                    " staleness=" + staleness + " intercept=" + intercept +
                                    " coordinates=32 tolerance=1e-5";
          SCOPED_TRACE(words);
          for (const Data& data : {random_data(3, 120, 300, 0.05, false), correlated_data(200, 120, 6, 0.9)}) {
            const Job job = job_of(data, options_in(words));
            SerialHost host(linked_plugin(), job);
            run(host);
            expect_optimum(data, job, host, 1e-5);
          }
        }
      }
    }
  }
}

TEST_F(LassoRows, APathAndItsFolds) {
  for (const char* loss : {"squared", "logistic"}) {
    Data data = random_data(5, 96, 40, 0.3, std::string(loss) == "logistic");
    data.folds = folds_of_rows(data.rows(), 3, 1);
    const Job job =
        job_of(data, options_in(std::string("intercept=true standardize=true path=4 lambda_ratio=0.1 folds=3 "
                                            "coordinates=8 tolerance=1e-9 loss=") +
                                loss));
    SerialHost host(linked_plugin(), job);
    run(host);
    expect_fits(data, job, host);
  }
}

TEST_F(LassoRows, SeveralSchedulersTakeTheStepsTogether) {
  Data data = random_data(6, 96, 100, 0.2, false);
  data.folds = folds_of_rows(data.rows(), 2, 1);
  for (const char* staleness : {"0", "3"}) {
    const Job job = job_of(data, options_in(std::string("schedulers=3 intercept=true path=3 lambda_ratio=0.1 folds=2 "
                                                        "coordinates=8 tolerance=1e-9 staleness=") +
                                            staleness));
    SerialHost host(linked_plugin(), job);
    std::map<std::uint32_t, std::set<Key>> drawn;
    host.watch([&](const Round& round, std::uint32_t scheduler) {
      if (round.argument.as<RowsStep>().step != Step::update) return;
      for (const Key key : round.shared)
        if (key != kIntercept) drawn[scheduler].insert(key);
    });
    run(host);
    expect_fits(data, job, host);
    ASSERT_EQ(drawn.size(), 3U);
    for (const auto& [scheduler, keys] : drawn) {
      EXPECT_GE(*keys.begin(), 100 * scheduler / 3);
      EXPECT_LT(*keys.rbegin(), 100 * (scheduler + 1) / 3);
    }
  }
}

TEST_F(LassoRows, SchedulersUndoTogether) {
  const Data data = correlated_data(60, 400, 1, 0.5);
  const Job job =
      job_of(data, options_in("schedulers=2 coordinates=64 conflicts=ignore intercept=true tolerance=1e-5"));
  SerialHost host(linked_plugin(), job);
  EXPECT_GT(run(host).at("undone"), 0);
  expect_optimum(data, job, host, 1e-5);
}

TEST_F(LassoRows, AResumedJobContinuesToTheLastBit) {
  Data data = random_data(8, 60, 80, 0.3, true);
  data.folds = folds_of_rows(data.rows(), 2, 1);
  for (double& x : data.x[14]) x += 1e6;
  const Job job = job_of(data, options_in("loss=logistic intercept=true standardize=true path=3 lambda_ratio=0.1 "
                                          "tolerance=1e-5 folds=2 staleness=1 coordinates=16"));
  SerialHost straight(linked_plugin(), job);
  straight.run_epoch();
  while (!straight.done()) {
    const SerialHost::Snapshot last = straight.save();
    straight.run_epoch();
    SerialHost resumed(linked_plugin(), job);
    resumed.restore(last);
    EXPECT_EQ(resumed.save(), last);
    resumed.run_epoch();
    ASSERT_EQ(resumed.save(), straight.save()) << "epoch " << straight.epochs();
  }
}

TEST_F(LassoRows, AnUndoSurvivesAResumption) {
  const Data data = correlated_data(60, 200, 1, 0.5);
  const Job job = job_of(data, {{"coordinates", "64"}, {"conflicts", "ignore"}, {"intercept", "true"}});
  SerialHost straight(linked_plugin(), job), resumed(linked_plugin(), job);
  straight.run_epochs(3);
  EXPECT_EQ(straight.figure("undone"), 1);
  resumed.restore(straight.save());
  for (int epoch = 0; epoch < 4; ++epoch) {
    straight.run_epoch();
    resumed.run_epoch();
    ASSERT_EQ(resumed.save(), straight.save());
  }
}

TEST_F(LassoRows, AWrongStateIsRefused) {
  const Data data = random_data(9, 30, 20, 0.5, false);
  SerialHost host(linked_plugin(), job_of(data, {{"intercept", "true"}, {"standardize", "true"}}, 1));
  host.run_epochs(3);
  const SerialHost::Snapshot right = host.save();
  const auto refused = [&](auto part) {
    for (std::size_t size = 0; size < part(right).size(); ++size) {
      SerialHost::Snapshot cut = right;
      const_cast<std::vector<std::byte>&>(part(cut)).resize(size);
      EXPECT_THROW(host.restore(cut), std::runtime_error) << size;
    }
  };
  refused([](const SerialHost::Snapshot& s) -> auto& { return s.schedules[0]; });
  refused([](const SerialHost::Snapshot& s) -> auto& { return s.shards[0]; });
  refused([](const SerialHost::Snapshot& s) -> auto& { return s.pulls[0]; });
  host.restore(right);
  EXPECT_EQ(host.save(), right);
}

TEST_F(LassoRows, ColumnsThatSayNothing) {
  Data data = random_data(10, 50, 12, 1, false);
  for (double& x : data.x[2]) x = 0;
  for (double& x : data.x[3]) x = 5;
  for (double& x : data.x[4]) x += 1000;
  data.x[6] = data.x[5];
  for (const char* standardize : {"false", "true"}) {
    const Job job = job_of(data, {{"intercept", "true"}, {"standardize", standardize}, {"tolerance", "1e-8"}});
    SerialHost host(linked_plugin(), job);
    run(host);
    expect_optimum(data, job, host, 1e-8);
    EXPECT_EQ(host.row(kPath, path_key(0, 2))[0], 0);
    EXPECT_EQ(host.row(kPath, path_key(0, 3))[0], 0) << "a constant column belongs to the intercept";
  }
}

TEST_F(LassoRows, TheEvaluationIsTheObjective) {
  const Data data = random_data(11, 50, 30, 0.5, true);
  const Job job = job_of(data, {{"loss", "logistic"}, {"l1_ratio", "0.7"}, {"standardize", "true"}});
  SerialHost host(linked_plugin(), job);
  for (int epoch = 0; epoch < 6; ++epoch) {
    host.run_epoch();
    const auto terms = host.evaluate();
    if (host.done()) break;
    EXPECT_NEAR(terms[0] + terms[1], host.figure("objective"), 1e-12);
  }
}

TEST_F(LassoRows, ShardsMakeNoDifferenceBeyondRounding) {
  const Data data = random_data(12, 64, 50, 0.4, false);
  std::vector<double> objectives;
  for (const std::uint32_t shards : {1U, 2U, 7U, 64U}) {
    SerialHost host(linked_plugin(), job_of(data, {{"tolerance", "1e-10"}, {"intercept", "true"}}, shards));
    run(host);
    objectives.push_back(fit_row(host, 0, 0).objective);
  }
  for (const double objective : objectives) EXPECT_NEAR(objective, objectives[0], 1e-9 * objectives[0]);
}

// The model of data in other units is the same model in these units.
struct Units {
  double target = 1;
  std::vector<double> column;
};

Data in_units(Data data, const Units& units) {
  for (std::size_t j = 0; j < data.columns(); ++j)
    for (double& x : data.x[j]) x *= units.column[j];
  for (double& y : data.y) y *= units.target;
  return data;
}

// The fit of `data` has the objective, a true gap and the coefficients of the plain fit of the same data in other
// units.
void expect_plain_fit(const Data& plain, const Data& data, Units units, std::map<std::string, std::string> given) {
  given.emplace("lambda_ratio", "0.1");
  given.emplace("coordinates", "8");
  const Job job = job_of(data, given);
  SerialHost host(linked_plugin(), job);
  run(host);
  const Settings settings = settings_of<Settings>(job.options);
  const double lambda_max = PlainFit(plain, settings, 0).lambda_max();
  const double null_loss = PlainFit(plain, settings, 0)(1e300).loss;
  const Fit fit = PlainFit(plain, settings, 0)(lambda_max * settings.ratio());
  const FitRow row = fit_row(host, 0, 0);
  const double square = settings.loss == Loss::squared ? units.target * units.target : 1;
  EXPECT_NEAR(row.null_loss / square, null_loss, 1e-9 * null_loss);
  EXPECT_LE(row.gap / square, settings.tolerance * null_loss * (1 + 1e-9));
  EXPECT_NEAR(row.objective / square, fit.objective, row.gap / square + 1e-9 * null_loss) << "the gap is a bound";
  EXPECT_LT(fit.objective, 0.9 * null_loss) << "there is something to fit";
  for (std::size_t j = 0; j < fit.b.size(); ++j) {
    const double unit = (settings.loss == Loss::squared ? units.target : 1) / units.column[j];
    EXPECT_NEAR(host.row(kPath, path_key(0, j))[0] / unit, fit.b[j], 1e-2) << "column " << j;
  }
  double loss = 0, weight = 0;  // of what is recorded, on the data as it is
  for (std::size_t i = 0; i < data.rows(); ++i) {
    double f = host.row(kPath, path_key(0, kIntercept))[0];
    for (std::size_t j = 0; j < fit.b.size(); ++j) f += host.row(kPath, path_key(0, j))[0] * data.x[j][i];
    const double y = data.y[i];
    loss += data.w[i] * (settings.loss == Loss::squared ? (y - f) * (y - f) / 2 : std::log1p(std::exp(-y * f)));
    weight += data.w[i];
  }
  EXPECT_NEAR(loss / weight, row.loss, 1e-7 * row.null_loss);
}

struct Way {
  std::string app, loss;
};
const std::vector<Way> kWays = {
    {"lasso", "squared"}, {"lasso", "logistic"}, {"lasso_rows", "squared"}, {"lasso_rows", "logistic"}};

Data small_data(const Way& way, double density) {
  choose(way.app);
  return random_data(21, 60, 30, density, way.loss == "logistic");
}

TEST(LassoUnits, OfAllColumnsAndOfTheTarget) {
  for (const Way& way : kWays) {
    Given given = {{"loss", way.loss}};
    for (const double density : {0.15, 1.0}) {
      const Data plain = small_data(way, density);
      for (const double columns : {1e-130, 1e-46, 1e-12, 1e6, 1e39, 1e130}) {
        for (const double target : {1.0, 1e-12, 1e12, 1e-120, 1e120}) {
          if (target != 1 && way.loss == "logistic") continue;
          SCOPED_TRACE(way.app + " " + way.loss + " columns " + std::to_string(std::log10(columns)) + " target " +
                       std::to_string(std::log10(target)));
          const Units units{target, std::vector<double>(plain.columns(), columns)};
          given["intercept"] = density < 1 ? "false" : "true";
          expect_plain_fit(plain, in_units(plain, units), units, given);
        }
      }
    }
  }
}

TEST(LassoUnits, OfSingleColumns) {
  for (const Way& way : kWays) {
    Given given = {{"loss", way.loss}};
    for (const char* standardize : {"false", "true"}) {
      for (const double factor : {1e-46, 1e-12, 1e-6, 1e6, 1e12, 1e39}) {
        SCOPED_TRACE(way.app + " " + way.loss + " " + standardize + std::to_string(std::log10(factor)));
        const Data plain = small_data(way, 0.5);
        Units units{1, std::vector<double>(plain.columns(), 1)};
        for (std::size_t j = 0; j < units.column.size(); j += 7) units.column[j] = factor;
        const Data data = in_units(plain, units);
        given["intercept"] = "true";
        given["standardize"] = standardize;
        if (*standardize == 't') {
          expect_plain_fit(plain, data, units, given);
        } else {
          expect_plain_fit(data, data, {1, std::vector<double>(plain.columns(), 1)}, given);
        }
      }
    }
  }
}

TEST(LassoUnits, ColumnsFarFromZero) {
  for (const Way& way : kWays) {
    Given given = {{"loss", way.loss}};
    for (const char* standardize : {"false", "true"}) {
      for (const double density : {0.3, 1.0}) {
        SCOPED_TRACE(way.app + " " + way.loss + " " + standardize + " " + std::to_string(density));
        Data plain = small_data(way, density), far = plain;
        for (std::size_t j = 0; j < plain.columns(); j += density < 1 ? 6 : 2) {
          for (std::size_t i = 0; i < plain.rows(); ++i) {
            far.x[j][i] = plain.x[j][i] * 100 + 1.7e9;
            plain.x[j][i] = far.x[j][i] - 1.7e9;
          }
        }
        given["intercept"] = "true";
        given["standardize"] = standardize;
        expect_plain_fit(plain, far, {1, std::vector<double>(plain.columns(), 1)}, given);
      }
    }
  }
}

// The error that a run of the job ends with.
std::string refusal(const Data& data, const Given& given) {
  try {
    SerialHost host(linked_plugin(), job_of(data, given));
    run(host);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(LassoUnits, WhatIsTooSmallToBeSquaredIsRefused) {
  for (const Way& way : kWays) {
    const Given given = {{"loss", way.loss}};
    const Data plain = small_data(way, 0.3);
    Data data = plain;
    for (double& x : data.x[3]) x = x == 0 ? 0 : 1e-200;
    const std::string small = " of 1e-200 at most, too small to be squared and summed up: give it another unit";
    EXPECT_EQ(refusal(data, given), "column 4 has values" + small);
    for (double& x : data.x[3]) x = 0;
    for (const std::size_t row : {0, 20, 40}) data.x[5][row] = 1e-200;
    EXPECT_EQ(refusal(data, given), "") << "a column's largest value counts";
    if (way.loss == "logistic") continue;
    data = plain;
    for (double& y : data.y) y = 1e-200;
    EXPECT_EQ(refusal(data, given), "the response has values" + small);
  }
}

TEST(LassoUnits, RowsWithoutWeight) {
  for (const Way& way : kWays) {
    Given given = {{"loss", way.loss}};
    Data data = small_data(way, 0.3);
    std::fill(data.w.begin(), data.w.end(), 0.0);
    EXPECT_TRUE(refusal(data, given).ends_with(".weights: all weights are 0"));
    given["folds"] = "3";
    data.folds = folds_of_rows(data.rows(), 3, 1);
    for (std::size_t i = 0; i < data.rows(); ++i) data.w[i] = data.folds[i] == 2 ? 1 : 0;
    EXPECT_TRUE(
        refusal(data, given).ends_with(".weights: the rows outside of fold 2 have no weight: take fewer folds"));
  }
}

}  // namespace
}  // namespace rota::lasso
