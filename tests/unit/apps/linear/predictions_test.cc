#include "apps/linear/predictions.h"

#include "tests/unit/io/scratch_files.h"

namespace rota::linear {
namespace {

const std::vector<std::pair<std::uint64_t, double>> kCoefficients = {{0, 2}, {3, -1}};

using LinearPredictionsTest = tests::WithFiles;

TEST_F(LinearPredictionsTest, AreTheInterceptAndTheProducts) {
  LinearPredictions predictions(0.5, kCoefficients, nullptr);
  predictions.read(files.write("svm", "7 1:1 4:0.25\n-1 2:9 900:5\n"), io::MatrixFormat::automatic);
  const auto market = files.write("mtx", "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 1 1\n3 4 4\n");
  predictions.read(market, io::MatrixFormat::automatic);
  EXPECT_EQ(predictions.links(), (std::vector<double>{2.25, 0.5, 2.5, 0.5, -3.5})) << "unknown columns count nothing";
  EXPECT_EQ(predictions.labels(), (std::vector<double>{7, -1}));
}

TEST_F(LinearPredictionsTest, NameTheLineOfAForeignLabel) {
  LabelCheck check(ClassLabels({1, 2}));
  LinearPredictions predictions(0, kCoefficients, &check);
  const std::string path = files.write("svm", "1 1:1\n2 1:1\n\n5 1:1\n6 1:1\n");
  predictions.read(path, io::MatrixFormat::automatic);
  try {
    check.require_own();
    FAIL() << "5 is no label of the model's";
  } catch (const DataError& error) {
    EXPECT_EQ(error.what(), path + ":4: the label 5 is none of the model's, 1 and 2");
  }
  EXPECT_THROW(check.require_own_or_none(), DataError);
}

TEST_F(LinearPredictionsTest, OneForeignLabelInAllRowsMayStandForNone) {
  LabelCheck check(ClassLabels({1, 2}));
  LinearPredictions predictions(0, kCoefficients, &check);
  predictions.read(files.write("svm", "0 1:1\n0 1:2\n"), io::MatrixFormat::libsvm);
  EXPECT_NO_THROW(check.require_own_or_none());
  EXPECT_THROW(check.require_own(), DataError);
}

}  // namespace
}  // namespace rota::linear
