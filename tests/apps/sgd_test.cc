// tests/apps/sgd_test.cc -- the SGD app over the serial host, against plain loops.
#include <iterator>

#include "apps/sgd/pull.h"
#include "rota/io/number_text.h"
#include "rota/numerics/seed_mixer.h"
#include "rota/plugin.h"
#include "rota/testing/serial_host.h"
#include "tests/apps/linear_plugins.h"
#include "tests/apps/resumed.h"
#include "tests/unit/apps/linear_models/plain_sgd.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::tests {
namespace {

constexpr std::size_t kKeys = 10;  // the intercept and nine features

class Sgd : public testing::Test {
 protected:
  void SetUp() override { draw(60); }

  // Rows of three labels, 1, 2 and 3.
  void draw(std::size_t rows) {
    Random random = random_named({11});
    rows_.clear();
    labels_.clear();
    for (std::size_t r = 0; r < rows; ++r) {
      PlainSgd::Row row(kKeys);
      row[0] = 1;
      for (std::size_t j = 1; j < kKeys; ++j)
        if (random.uniform() < 0.5) row[j] = static_cast<double>(random.below(9)) / 4 - 1;  // exact in any precision
      rows_.push_back(row);
      labels_.push_back(static_cast<double>(1 + random.below(2) + (row[1] > 0 ? 1U : 0U)));
    }
    file_ = write("rows", 3);
  }
  // With labels up to `most`; larger ones become `most`.
  std::string write(const std::string& name, double most) {
    std::ostringstream text;
    text.precision(17);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      text << std::min(most, labels_[r]);
      for (std::size_t j = 1; j < kKeys; ++j)
        if (rows_[r][j] != 0) text << " " << j << ":" << rows_[r][j];
      text << "\n";
    }
    return files_.write(name, text.str());
  }
  Job job(std::map<std::string, std::string> options, std::vector<std::string> valid = {}) {
    if (!valid.empty()) options["valid"] = valid.front();
    return linear_job(options, {file_}, valid);
  }
  // Figures of the data for the plain loops.
  void measure(PlainSgd& plain) const {
    const auto single = [](double number) { return static_cast<double>(static_cast<float>(number)); };
    const auto rows = static_cast<double>(rows_.size());
    std::vector<double> squares(kKeys), count(kKeys);
    for (const PlainSgd::Row& row : rows_)
      for (std::size_t j = 0; j < kKeys; ++j) {
        squares[j] += row[j] * row[j];
        count[j] += row[j] != 0 ? 1 : 0;
      }
    double entries = 0;  // of a row
    for (std::size_t j = 0; j < kKeys; ++j) entries += count[j] / rows;
    plain.beta = single(1 / std::sqrt(entries));
    for (std::size_t j = 0; j < kKeys; ++j) {
      plain.presence.push_back(j == 0 ? 0 : single(rows / count[j]));
      plain.scale.push_back(single(1 / (std::sqrt(squares[j] / count[j]) * std::sqrt(entries))));
    }
  }
  // The mean of the shards' results with these rows, each in this order.
  PlainSgd::Table averaged(const PlainSgd& plain, const std::vector<std::vector<std::size_t>>& shards) const {
    PlainSgd::Table mean(kKeys, std::vector<PlainSgd::State>(plain.outputs));
    std::vector<double> having(kKeys);
    for (const auto& rows : shards) {
      PlainSgd::Table own(kKeys, std::vector<PlainSgd::State>(plain.outputs));
      for (std::size_t k = 0; k < plain.outputs; ++k) {
        double of_class = 0.5, all = 0.5 * static_cast<double>(plain.outputs);
        for (const std::size_t r : rows) {
          if (labels_[r] == static_cast<double>(k) + 1) of_class += 1;
          all += 1;
        }
        own[0][k].w = std::log(of_class / all);
      }
      double t = 0;
      for (const std::size_t r : rows) plain.step(own, rows_[r], labels_[r] - 1, 1, ++t);
      for (std::size_t j = 0; j < kKeys; ++j) {
        if (std::any_of(rows.begin(), rows.end(), [&](std::size_t r) { return rows_[r][j] != 0; })) having[j] += 1;
        for (std::size_t k = 0; k < plain.outputs; ++k) {
          mean[j][k].w += own[j][k].w;
          mean[j][k].a += own[j][k].a;
        }
      }
    }
    for (std::size_t j = 0; j < kKeys; ++j)
      for (PlainSgd::State& state : mean[j])
        state = {state.w / std::max(1.0, having[j]), state.a / std::max(1.0, having[j]), 0};
    return mean;
  }

  ScratchFiles files_;
  std::string file_;
  std::vector<PlainSgd::Row> rows_;
  std::vector<double> labels_;
};

// Of three shards, one has two rows, in one of the two orders.
TEST_F(Sgd, AnEpochIsThatOfPlainLoops) {
  draw(4);
  labels_ = {1, 2, 3, 3};
  file_ = write("four", 3);
  LinearHost host(job({{"loss", "softmax"},
                       {"learning_rate", "0.5"},
                       {"l1", "0.001"},
                       {"l2", "0.01"},
                       {"shards", "3"},
                       {"partitions", "2"}}));
  host.run_epoch();
  PlainSgd plain{"softmax", "adagrad", 0.5, 0.001, 0.01, 3, {}, {}};
  for (PlainSgd::Row& row : rows_) row[0] = 1;
  measure(plain);
  double closest = 1;
  for (const auto& first : {std::vector<std::size_t>{0, 3}, {3, 0}}) {
    const PlainSgd::Table table = averaged(plain, {first, {1}, {2}});
    double farthest = 0;
    for (std::size_t j = 0; j < kKeys; ++j)
      for (std::size_t i = 0; i < 4; ++i) {
        const double expected = i < 3 ? table[j][i].w : table[j][0].a;
        farthest = std::max(farthest, std::abs(host.row(linear::kWeights, j)[i] - expected));
      }
    closest = std::min(closest, farthest);
  }
  EXPECT_LT(closest, 1e-9);
}

TEST_F(Sgd, TheEvaluationIsThatOfPlainLoops) {
  for (const char* const loss : {"logistic", "squared", "hinge", "squared_hinge", "softmax"}) {
    const bool softmax = loss == std::string("softmax"), squared = loss == std::string("squared");
    file_ = write("rows", softmax ? 3 : 2);
    const std::string average = softmax ? "true" : "false";
    LinearHost host(
        job({{"loss", loss}, {"average", average}, {"l1", "0.01"}, {"l2", "0.1"}, {"sync_rows", "16"}}, {file_}));
    host.run_epochs(3);
    const linear::TrainedModel model = linear::read_model(SerialModel(host));
    PlainSgd plain{loss, "adagrad", 1, 0, 0, softmax ? std::size_t{3} : 1, {}, {}};
    PlainSgd::Table table(kKeys, std::vector<PlainSgd::State>(plain.outputs));
    double penalty = 0, losses = 0, right = 0;
    for (std::size_t j = 0; j < kKeys; ++j)
      for (std::uint32_t k = 0; k < plain.outputs; ++k) {
        const double w = table[j][k].w = model.weight(j, k);
        if (j > 0) penalty += 0.01 * std::abs(w) + 0.05 * w * w;
      }
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const double label = std::min(softmax ? 3.0 : 2.0, labels_[r]);
      const double y = softmax ? label - 1 : squared ? label : 2 * label - 3;
      const std::vector<double> links = plain.links(table, rows_[r]);
      std::vector<double> slope;
      losses += plain.loss_of(links, y, slope);
      if (!squared) right += model.classes.label(model.class_of(links)) == label ? 1 : 0;
    }
    auto terms = terms_of(host);
    EXPECT_NEAR(terms["loss"], losses / 60, 1e-12) << loss;
    EXPECT_NEAR(terms["penalty"], penalty, 1e-12);
    EXPECT_NEAR(terms["valid"], losses, 1e-10) << "the held-out rows are equal";
    EXPECT_EQ(terms["valid_rows"], 60);
    EXPECT_EQ(terms["progressive_rows"], 60);
    EXPECT_EQ(terms["right"], right);
    EXPECT_NEAR(*host.score("valid_loss"), losses / 60, 1e-12);
  }
}

TEST_F(Sgd, TheFirstLossesAreThoseOfNoWeights) {
  file_ = write("rows", 2);
  // A row of each shard is a round, so all first rows see zeros; the others see what has been learned.
  LinearHost host(job({{"shards", "60"}, {"intercept", "false"}}));
  host.run_epoch();
  EXPECT_NEAR(*host.score("progressive_loss"), std::log(2.0), 1e-12);
  host.run_epoch();
  EXPECT_LT(*host.score("progressive_loss"), std::log(2.0));
}

TEST_F(Sgd, BatchSizeDecidesTheRoundsOfAnEpoch) {
  for (const auto& [batch, rounds] : {std::pair{"16", 4}, {"60", 1}, {"1000", 1}, {"1", 60}}) {
    LinearHost host(job({{"loss", "softmax"}, {"sync_rows", batch}}));
    std::vector<Round> seen;
    host.watch([&](const Round& round, std::uint32_t) { seen.push_back(round); });
    host.run_epochs(2);
    ASSERT_EQ(seen.size(), 2U * static_cast<unsigned>(rounds)) << batch;
    EXPECT_TRUE(seen.back().open && seen.back().ends_epoch);
    EXPECT_NEAR(seen.back().argument.as<sgd::RoundOfSteps>().seen_after(), 2 * 60.0 / 4, 1e-9);
    EXPECT_EQ(terms_of(host)["progressive_rows"], 60) << "every row is visited once an epoch";
  }
}

TEST_F(Sgd, ARestoredJobContinuesAlike) {
  for (PlainSgd::Row& row : rows_) row[2] += 1.7e9;  // held less its mean
  file_ = write("rows", 3);
  for (const char* const optimizer : {"sgd", "adagrad", "ftrl"}) {
    const auto options =
        job({{"loss", "softmax"}, {option_of(optimizer), optimizer}, {"sync_rows", "20"}, {"l1", "0.01"}});
    SCOPED_TRACE(optimizer);
    expect_resumed_alike(options, 2, 3);
  }
}

// With one shard and one row a round, the mean of the round is its only weight; with one round, that of all steps.
TEST_F(Sgd, TheAverageIsThatOfTheRoundsSteps) {
  draw(12);
  file_ = write("rows", 2);
  const std::map<std::string, std::string> common = {
      {"optimizer", "sgd"}, {"shards", "1"}, {"learning_rate", "0.7"}, {"l2", "0.1"}, {"seed", "4"}};
  auto each = common, averaged = common;
  each["sync_rows"] = "1";
  averaged["average"] = "true";
  LinearHost plain(job(each)), mean(job(averaged));
  std::vector<double> sums(kKeys);
  plain.watch([&](const Round&, std::uint32_t) {  // as it is before that round
    for (std::size_t j = 0; j < kKeys; ++j) sums[j] += plain.row(linear::kWeights, j).at(0);
  });
  plain.run_epochs(1);
  for (std::size_t j = 0; j < kKeys; ++j) sums[j] += plain.row(linear::kWeights, j).at(0);
  mean.run_epochs(1);
  const linear::TrainedModel model = linear::read_model(SerialModel(mean));
  for (std::size_t j = 0; j < kKeys; ++j) {
    EXPECT_NEAR(mean.row(linear::kWeights, j)[0], plain.row(linear::kWeights, j)[0], 1e-12) << "the steps are the same";
    EXPECT_NEAR(model.weight(j, 0), sums[j] / 12, 1e-12) << j;
  }
}

// The rows of a round come in an order of their own, but they are the same in each epoch, and each is there once.
TEST_F(Sgd, AStreamIsReadAgainInEveryEpoch) {
  file_ = write("rows", 2);
  const auto options = job({{"stream", "true"}, {"sync_rows", "20"}, {"l2", "0.01"}, {"learning_rate", "0.5"}});
  LinearHost whole(options);
  whole.run_epochs(2);
  EXPECT_EQ(whole.items(), 60U);
  EXPECT_EQ(terms_of(whole)["progressive_rows"], 60);
  const SerialHost::Snapshot middle = whole.save();
  whole.run_epochs(20);
  LinearHost resumed(options);
  resumed.restore(middle);
  resumed.run_epochs(20);
  EXPECT_EQ(resumed.save(), whole.save());
  LinearHost kept(job({{"sync_rows", "20"}, {"l2", "0.01"}, {"learning_rate", "0.5"}}));
  kept.run_epochs(22);
  auto mine = terms_of(whole), other = terms_of(kept);
  EXPECT_NEAR(mine["loss"] + mine["penalty"], other["loss"] + other["penalty"], 0.01);
}

TEST_F(Sgd, StepsWithoutBoundEndTheJob) {
  file_ = write("rows", 2);
  LinearHost host(
      job({{"loss", "squared"}, {"optimizer", "sgd"}, {"learning_rate", "1000000"}, {"normalized", "false"}}));
  EXPECT_EQ(message_of<UsageError>([&] { host.run_epochs(50); }),
            "the weights have overflowed: use a smaller --learning_rate");
}

// With losses of unbounded slopes the first steps were too long to recover from within many epochs.
TEST_F(Sgd, PlainStepsEndNearTheOptimum) {
  draw(2000);
  file_ = write("rows", 2);
  for (const char* const loss : {"squared", "squared_hinge"}) {
    std::map<std::string, std::string> options = {{"loss", loss}, {"solver", "newton"}};
    LinearHost best(job(options));
    best.run();
    options.erase("solver");
    options["optimizer"] = "sgd";
    LinearHost host(job(options));
    host.run();
    EXPECT_NEAR(terms_of(host)["loss"] / terms_of(best)["loss"], 1, 0.01) << loss;
    for (const char* const stream : {"false", "true"}) {
      auto too_fast = options;
      too_fast.insert({{"stream", stream}, {"learning_rate", "40"}, {"epochs", "2"}});
      LinearHost wild(job(too_fast));
      EXPECT_EQ(message_of<UsageError>([&] { wild.run(); }),
                "the loss is far larger than with zero weights: use a smaller --learning_rate");
    }
  }
}

// Labels times `label_scale` plus `shift`; columns from `first` to `last` times `scale` plus `origin`.
struct Scales {
  double label_scale = 1, shift = 0, scale = 1, origin = 0;
  std::size_t first = 1, last = kKeys - 1;
};

class SgdScales : public Sgd {
 protected:
  std::string write_scaled(const Scales& scales, double most) {
    std::ostringstream text;
    text.precision(17);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      text << std::min(most, labels_[r]) * scales.label_scale + scales.shift;
      for (std::size_t j = 1; j < kKeys; ++j) {
        const bool changes = j >= scales.first && j <= scales.last;
        const double value = changes ? rows_[r][j] * scales.scale + scales.origin : rows_[r][j];
        if (value != 0) text << " " << j << ":" << value;
      }
      text << "\n";
    }
    return files_.write("scaled", text.str());
  }
  // A job of such rows, at its end.
  std::unique_ptr<SerialHost> trained(const Scales& scales, std::map<std::string, std::string> options) {
    file_ = write_scaled(scales, options["loss"] == "squared" ? 3 : 2);
    auto host = std::make_unique<LinearHost>(job(options));
    host->run();
    EXPECT_NE(host->converged(), false);
    return host;
  }
  // The objective without the penalty.
  double loss_of(const Scales& scales, const std::map<std::string, std::string>& options) {
    return terms_of(*trained(scales, options))["loss"];
  }
  // The predictions of `rota predict` for the rows written last.
  std::vector<double> predictions(const SerialHost& host) const {
    const SerialModel model(host);
    const Options link(std::map<std::string, std::string, std::less<>>{{"type", "link"}});
    std::ostringstream out;
    for (const Command& command : linked_plugin().commands)
      if (command.name == "predict") command.run({&model, link, {file_}}, out);
    std::istringstream in(out.str());
    return {std::istream_iterator<double>(in), {}};
  }
  // How far they are from others, as a share of these.
  static double distance(const std::vector<double>& a, const std::vector<double>& b) {
    EXPECT_EQ(a.size(), b.size());
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      difference += (a[i] - b[i]) * (a[i] - b[i]);
      size += b[i] * b[i];
    }
    return std::sqrt(difference / size);
  }
};

// Steps of AdaGrad and FTRL did not grow with the labels, so that the model did not move.
TEST_F(SgdScales, TheModelFollowsTheLabels) {
  for (const char* const optimizer : {"adagrad", "ftrl", "sgd", "svrg", "newton"})
    for (const char* const stream : {"false", "true"}) {
      if (stream == std::string("true") && optimizer != std::string("adagrad")) continue;
      Given options = {{"loss", "squared"}, {option_of(optimizer), optimizer}, {"shards", "1"}};
      if (stream == std::string("true")) options["stream"] = stream;
      const double plain = loss_of({}, options);
      EXPECT_LT(plain, 0.17) << optimizer << ": labels' own is 0.25";
      for (const double scale : {1e-12, 1e-6, 1e6, 1e12}) {
        const double loss = loss_of({.label_scale = scale}, options);
        EXPECT_NEAR(loss / scale / scale, plain, (stream[0] == 't' ? 0.05 : 1e-5) * plain) << optimizer << " " << scale;
      }
      EXPECT_NEAR(loss_of({.shift = 1e9}, options), plain, (stream[0] == 't' ? 0.05 : 1e-5) * plain) << optimizer;
    }
}

// Without an intercept svrg and newton counted as converged when only the labels' mean was fitted; the steps of others
// are as long as that is large.
TEST_F(SgdScales, AConstantColumnFollowsTheLabels) {
  draw(200);
  for (const char* const optimizer : {"adagrad", "ftrl", "sgd", "svrg", "newton"}) {
    const std::map<std::string, std::string> options = {
        {"loss", "squared"}, {option_of(optimizer), optimizer}, {"intercept", "false"}};
    const bool takes_steps = optimizer[0] != 'n' && optimizer[1] != 'v';
    const double plain = loss_of({.scale = 0, .origin = 1, .first = kKeys - 1}, options);
    for (const double shift : {30.0, 1e4, 1e6, 1e9}) {
      const Scales shifted{.shift = shift, .scale = 0, .origin = 1, .first = kKeys - 1};
      if (takes_steps) {
        const std::string refusal = message_of<DataError>([&] { loss_of(shifted, options); });
        EXPECT_NE(refusal.find(": labels: the mean, "), std::string::npos) << refusal;
      } else if (shift < 1e9 || optimizer[0] == 'n') {  // for others rounding is too large, as svrg reports
        EXPECT_NEAR(loss_of(shifted, options), plain, 1e-4 * plain) << optimizer << " " << shift;
      }
    }
  }
}

// Scales of steps were single precision: infinite for small columns.
TEST_F(SgdScales, TheModelFollowsTheColumns) {
  for (const auto& [optimizer, loss] : {std::pair{"adagrad", "logistic"},
                                        {"adagrad", "squared"},
                                        {"adagrad", "hinge"},
                                        {"ftrl", "logistic"},
                                        {"ftrl", "squared"},
                                        {"sgd", "logistic"},
                                        {"sgd", "squared_hinge"},
                                        {"svrg", "logistic"},
                                        {"svrg", "squared"},
                                        {"newton", "logistic"},
                                        {"newton", "squared"},
                                        {"newton", "squared_hinge"}}) {
    const std::map<std::string, std::string> options = {{"loss", loss}, {option_of(optimizer), optimizer}};
    const double plain = loss_of({}, options);
    for (const double scale : {1e-35, 1e-12, 1e-6, 1e6, 1e12})
      for (const std::size_t last : {kKeys - 1, std::size_t{1}})
        EXPECT_NEAR(loss_of({.scale = scale, .last = last}, options), plain, 1e-4 * plain)
            << optimizer << " " << loss << " " << scale << " " << last;
  }
}

// Newton's stopping rule depended on the units of slopes.  Scaling by powers of 2 causes no rounding.
TEST_F(SgdScales, ExactOptimisersGoTheSameWayAtAnyScale) {
  for (const auto& [optimizer, loss] : {std::pair{"newton", "logistic"},
                                        {"newton", "squared"},
                                        {"newton", "squared_hinge"},
                                        {"svm", "hinge"},
                                        {"svm", "squared_hinge"}})
    for (const double tolerance : {1e-1, 1e-2, 1e-4, 1e-6}) {
      const bool is_svm = optimizer == std::string("svm");
      const auto options = [&](double scale) -> std::map<std::string, std::string> {
        return {{"loss", loss},
                {option_of(optimizer), optimizer},
                {"tolerance", std::to_string(tolerance)},
                {"l2", is_svm ? io::exact_text(scale * scale / 1024) : "0"}};
      };
      const double plain = loss_of({}, options(1));
      for (const double scale : {0x1p-20, 0x1p+19}) {
        EXPECT_EQ(loss_of({.scale = scale}, options(scale)), plain) << optimizer << " " << loss << " " << tolerance;
        if (is_svm) continue;
        EXPECT_EQ(loss_of({.scale = scale, .last = 2}, options(1)), plain) << optimizer << " " << loss;
      }
    }
}

struct Way {
  const char *optimizer, *loss;
  double tolerance = 0.02;  // of predictions
  const char *option = "seed", *value = "1";
};
constexpr Way kWays[] = {{"adagrad", "logistic"},
                         {"adagrad", "squared"},
                         {"adagrad", "softmax"},
                         {"adagrad", "logistic", 0.05, "stream", "true"},
                         {"adagrad", "logistic", 0.02, "bits", "10"},
                         {"adagrad", "logistic", 0.02, "exchange", "allreduce"},
                         {"ftrl", "logistic"},
                         {"ftrl", "squared"},
                         {"sgd", "logistic"},
                         {"sgd", "squared"},
                         {"svrg", "logistic", 1e-4},
                         {"svrg", "squared", 1e-4},
                         {"newton", "logistic", 1e-4},
                         {"newton", "squared", 1e-4},
                         {"newton", "squared_hinge", 1e-4},
                         {"svm", "hinge", 1e-2},
                         {"svm", "squared_hinge", 1e-2}};

// A column like seconds since 1970 was nearly a second intercept, and lost its digits in single precision.
TEST_F(SgdScales, TheModelFollowsColumnsFarFromZero) {
  draw(300);
  for (const auto& [optimizer, loss, tolerance, option, value] : kWays) {
    const bool is_svm = optimizer == std::string("svm");
    const std::map<std::string, std::string> options = {
        {"loss", loss}, {option_of(optimizer), optimizer}, {"l2", is_svm ? "1e-3" : "0"}, {option, value}};
    const auto plain = trained({}, options);
    const std::vector<double> expected = predictions(*plain);
    const linear::TrainedModel model = linear::read_model(SerialModel(*plain));
    for (const Scales& far : {Scales{.origin = 10},
                              {.origin = 1e6},
                              {.origin = 1e9},
                              {.origin = 1.7e9},
                              {.origin = -1.7e9},
                              {.scale = 1e6, .origin = 1.7e9},
                              {.origin = 1e9, .last = 1}}) {
      if (is_svm && far.scale != 1) continue;  // its penalty is of weights as they are
      const std::string name = std::string(optimizer) + " " + loss + " " + value + " " + std::to_string(far.origin);
      const auto host = trained(far, options);
      EXPECT_LT(distance(predictions(*host), expected), tolerance) << name;
      const linear::TrainedModel shifted = linear::read_model(SerialModel(*host));
      for (Key j = 1; j <= far.last; ++j)
        EXPECT_NEAR(shifted.weight(j, 0) * far.scale, model.weight(j, 0), 5 * tolerance) << name << " " << j;
    }
  }
}

// A held-out row that lacks the column has 0 of it.
TEST_F(SgdScales, HeldOutRowsAreHeldAsTheOthers) {
  file_ = write_scaled({.origin = 1e9, .last = 1}, 2);
  const std::string lacking = files_.write("lacking", "1 1:1000000000 2:1\n2 2:1\n");
  const std::string rows = file_;
  for (const std::string& valid : {rows, lacking}) {
    file_ = rows;
    LinearHost host(job({{"solver", "newton"}, {"l2", "1e-3"}}, {valid}));
    host.run();
    file_ = valid;
    const std::vector<double> links = predictions(host);
    double loss = 0;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const double label = valid == lacking ? static_cast<double>(i + 1) : std::min(2.0, labels_[i]);
      const double wrong = -(2 * label - 3) * links[i];
      loss += std::max(wrong, 0.0) + std::log1p(std::exp(-std::abs(wrong)));
    }
    EXPECT_NEAR(terms_of(host)["valid"] / loss, 1, 1e-9);
    if (valid != lacking) continue;
    const linear::TrainedModel model = linear::read_model(SerialModel(host));
    EXPECT_NEAR(links[1] / (model.weight(linear::kIntercept, 0) + model.weight(2, 0)), 1, 1e-6);
  }
}

// Without a free intercept, one column far from 0 acts as one; with two, steps cannot distinguish them.
TEST_F(SgdScales, WithoutAnInterceptOneColumnMayBeFarFromZero) {
  draw(300);
  const auto refusal = [&](const char* optimizer, const char* option, const char* value, const Scales& far) {
    return message_of<DataError>([&] {
      trained(far, {{"loss", "logistic"}, {option_of(optimizer), optimizer}, {"l2", "1e-3"}, {option, value}});
    });
  };
  for (const double origin : {30.0, 1e9}) {
    std::map<std::string, std::string> options = {{"loss", "logistic"}, {"solver", "newton"}, {"intercept", "false"}};
    const double expected = loss_of({.origin = origin, .last = 1}, options);
    for (const char* const optimizer : {"adagrad", "ftrl", "sgd", "svrg"}) {
      options.erase("solver");
      options.erase("optimizer");
      options[option_of(optimizer)] = optimizer;
      EXPECT_NEAR(loss_of({.origin = origin, .last = 1}, options), expected, 0.01 * expected) << optimizer;
      EXPECT_NE(refusal(optimizer, "intercept", "false", {.origin = origin, .last = 2}).find("feature 2: the mean"),
                std::string::npos);
      EXPECT_NE(refusal(optimizer, "penalize_intercept", "true", {.origin = origin, .last = 1}).find("feature 1: "),
                std::string::npos);
    }
  }
  EXPECT_EQ(refusal("newton", "intercept", "false", {.origin = 30, .last = 2}), "no error");
  EXPECT_NE(refusal("newton", "intercept", "false", {.origin = 1e9, .last = 2}), "no error");
}

TEST_F(SgdScales, WhatSinglePrecisionCannotHoldIsRefused) {
  file_ = files_.write("large", "1 1:1 2:2\n-1 1:1 2:1e39\n");
  EXPECT_EQ(message_of<DataError>([&] { LinearHost(job({})); }), file_ + ":2: a value above 1e15: scale the data");
  file_ = files_.write("small", "1 1:1 2:1e-200\n-1 1:1\n");
  EXPECT_NE(message_of<DataError>([&] { LinearHost(job({})); }).find("feature 2: its largest value is 1e-200"),
            std::string::npos);
  file_ = files_.write("label", "1 1:1\n1e101 1:1\n");
  EXPECT_EQ(message_of<DataError>([&] {
              LinearHost(job({{"loss", "squared"}}));
            }),
            file_ + ":2: a label above 1e100: scale the data");
}

// Shards can sum the changes of weights without the store.
TEST_F(Sgd, AnAllreduceComesToTheWeightsOfTheStore) {
  for (const char* const optimizer : {"sgd", "adagrad", "ftrl"})
    for (const char* const shards : {"1", "3", "4"}) {
      std::map<std::string, std::string> options = {{"loss", "softmax"},
                                                    {option_of(optimizer), optimizer},
                                                    {"shards", shards},
                                                    {"sync_rows", "20"},
                                                    {"l2", "0.01"}};
      LinearHost store(job(options));
      options["exchange"] = "allreduce";
      LinearHost replicas(job(options));
      store.run_epochs(4);
      replicas.run_epochs(4);
      for (Key key = 0; key < kKeys; ++key) {
        const std::vector<double> a = store.row(linear::kWeights, key), b = replicas.row(linear::kWeights, key);
        for (std::size_t i = 0; i < a.size(); ++i)
          EXPECT_NEAR(a[i], b[i], 1e-12 * std::max(1.0, std::abs(a[i]))) << optimizer << ", " << shards << " shards";
      }
    }
}

// With one round an epoch and every feature in every shard, means of replicas are means of what they moved by; and two
// shards have only one way to exchange.
TEST_F(Sgd, AveragesOfReplicasAreThoseOfTheStore) {
  for (const char* const exchange : {"alltoall", "butterfly", "halton"}) {
    std::map<std::string, std::string> options = {{"loss", "softmax"}, {"shards", "2"}, {"sync_rows", "60"}};
    LinearHost store(job(options));
    options["exchange"] = exchange;
    LinearHost replicas(job(options));
    store.run_epochs(3);
    replicas.run_epochs(3);
    for (Key key = 0; key < kKeys; ++key) {
      const std::vector<double> a = store.row(linear::kWeights, key), b = replicas.row(linear::kWeights, key);
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12) << exchange;
    }
  }
}

// Every kind of exchange learns, with or without staleness, and a restored job continues the same way.
TEST_F(Sgd, AllExchangesLearn) {
  for (const char* const exchange : {"allreduce", "butterfly", "alltoall", "halton"})
    for (const char* const staleness : {"0", "1"}) {
      LinearHost host(job({{"loss", "softmax"},
                           {"shards", "5"},
                           {"sync_rows", "10"},
                           {"exchange", exchange},
                           {"staleness", staleness}}));
      const double before = terms_of(host)["loss"];
      host.run_epochs(3);
      EXPECT_LT(terms_of(host)["loss"], 0.95 * before) << exchange;
      const auto saved = host.save();
      host.run_epochs(2);
      const std::string hash = host.model_hash();
      host.restore(saved);
      host.run_epochs(2);
      EXPECT_EQ(host.model_hash(), hash) << exchange;
    }
}

}  // namespace
}  // namespace rota::tests
