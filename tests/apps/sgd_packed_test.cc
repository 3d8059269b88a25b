// tests/apps/sgd_packed_test.cc -- linear models from data by shard: one packing for all losses and optimisers.
#include "tests/apps/linear_plugins.h"
#include "tests/apps/packed_data.h"

namespace rota::tests {
namespace {

// Of the app that the options choose.
class SgdPacked : public Packed {
 protected:
  static Job job(const Given& given, const std::string& input, const std::vector<std::string>& valid = {}) {
    return linear_job(given, {input}, valid);
  }
};

constexpr const char* kRows = "1 1:2 3:-1\n-1 2:0.5\n1 1:1 2:1 4:3\n-1 3:2\n-1 4:0.25\n1 1:-1\n1\n-1 2:2 3:1\n";
constexpr const char* kMoreRows = "1 1:1\n-1 2:1 9:4\n1 3:-2\n";
constexpr const char* kFarRows = "1 1:1700000001 2:7\n-1 1:1700000003\n1 1:1700000002 2:1\n-1 1:1700000005 2:1\n";
constexpr const char* kMoreFarRows = "1 1:1700000002 2:7\n-1 2:1\n";
constexpr const char* kThreeClasses = "1 1:2 3:-1\n2 2:0.5\n3 1:1 2:1\n3 3:2\n2 3:0.25\n1 1:-1\n";

TEST_F(SgdPacked, OneModelOfEveryOptimiserAndLoss) {
  const std::string rows = files.write("rows", kRows), more = files.write("more", kMoreRows);
  for (const Given& given :
       {Given{}, Given{{"optimizer", "ftrl"}, {"l1", "0.01"}}, Given{{"optimizer", "sgd"}, {"loss", "squared"}},
        Given{{"solver", "newton"}, {"l2", "0.1"}}, Given{{"solver", "svrg"}, {"l2", "0.1"}},
        Given{{"solver", "svm"}, {"loss", "hinge"}, {"l2", "0.1"}}, Given{{"exchange", "butterfly"}},
        Given{{"intercept", "false"}}, Given{{"bits", "2"}}, Given{{"class_weights", "balanced"}},
        Given{{"normalized", "false"}, {"penalize_intercept", "true"}, {"l2", "0.5"}}, Given{{"loss", "softmax"}}}) {
    Given options = with(given, {{"shards", "3"}, {"valid", "given"}});
    if (!given.contains("solver")) options["sync_rows"] = "4";
    expect_one_model(job(options, rows, {more}));
  }
}

// Rows are packed centred, in single precision.
TEST_F(SgdPacked, ColumnsFarFromZero) {
  const std::string rows = files.write("rows", kFarRows), more = files.write("more", kMoreFarRows);
  for (const Given& given : {Given{}, Given{{"solver", "newton"}, {"l2", "0.1"}}, Given{{"intercept", "false"}},
                             Given{{"penalize_intercept", "true"}}}) {
    Given options = with(given, {{"shards", "3"}, {"valid", "given"}});
    if (!given.contains("solver")) options["sync_rows"] = "4";
    expect_one_model(job(options, rows, {more}));
  }
  const Job one = packed_job(job({{"shards", "2"}, {"penalize_intercept", "true"}, {"l2", "1"}}, rows));
  EXPECT_EQ(refusal<DataError>(one),
            "index: feature 1: the mean, 1700000002.75, is far from 0 beside the deviation, and data by shard stores "
            "it less that, which --penalize_intercept does not allow");
}

TEST_F(SgdPacked, WeightsOfRows) {
  const Given options{{"weights", files.write("weights", "1\n2\n0\n1\n0.5\n3\n1\n1\n")}, {"shards", "2"}};
  expect_one_model(job(options, files.write("rows", kRows)));
}

TEST_F(SgdPacked, NamesAndImportancesOfVowpalWabbit) {
  const std::string rows = files.write("rows", "1 2.0 | a b:0.5\n-1 | c a\n1 | b\n-1 0.5 | d\n");
  expect_one_model(job({{"format", "vw"}, {"shards", "2"}}, rows));
}

TEST_F(SgdPacked, SeveralClasses) {
  const std::string rows = files.write("rows", kThreeClasses);
  for (const Given& given : {Given{{"loss", "softmax"}}, Given{{"one_against_rest", "true"}},
                             Given{{"loss", "softmax"}, {"class_weights", "balanced"}}, Given{{"loss", "squared"}}}) {
    expect_one_model(job(with(given, {{"shards", "2"}}), rows));
  }
}

TEST_F(SgdPacked, LabelsThatDoNotFitTheLossAreReported) {
  Job one = packed_job(job({{"shards", "2"}}, files.write("rows", kThreeClasses)));
  EXPECT_EQ(refusal<DataError>(one),
            "index: found more than two labels, 1, 2 and 3: a loss of two classes (--loss=softmax takes more, and "
            "--one_against_rest)");
  one = packed_job(job({{"shards", "2"}}, files.write("one", "1 1:1\n1 2:1\n")));
  EXPECT_EQ(refusal<DataError>(one), "index: expected labels of at least two classes, found only one: 1");
  one = packed_job(
      job({{"shards", "2"}, {"valid", "given"}}, files.write("rows", kRows), {files.write("valid", "7 1:1\n")}));
  EXPECT_EQ(refusal<DataError>(one), "index: the label 7 is none of the training data's, -1 and 1");
}

TEST_F(SgdPacked, StreamsReadText) {
  Job one = job({{"shards", "2"}, {"stream", "true"}}, files.write("rows", kRows));
  one.packed = pack(one);
  EXPECT_EQ(refusal<UsageError>(one),
            "--stream reads text again in every epoch; data by shard is read once, and kept in memory");
}

TEST_F(SgdPacked, BytesThatChanged) {
  const std::string rows = files.write("rows", kRows);
  const std::string weights = files.write("weights", "1\n2\n0\n1\n0.5\n3\n1\n1\n");
  const Given options{{"shards", "2"}, {"valid", "given"}, {"weights", weights}};
  expect_flips_are_borne(job(options, rows, {rows}));
  expect_flips_are_borne(job({{"shards", "2"}}, files.write("far", kFarRows)));
}

}  // namespace
}  // namespace rota::tests
