#include "apps/linear_models/read_rows.h"

#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::linear {
namespace {

std::string text_of(const ShardRows& data) {
  std::string out;
  for (std::size_t r = 0; r < data.rows.size(); ++r) {
    out += io::exact_text(data.targets[r]) + ":";
    for (const Entry& entry : data.rows[r]) out += " " + std::to_string(entry.key) + "=" + io::exact_text(entry.value);
    out += ";";
  }
  return out;
}

// As an app loads them.
struct Loaded {
  RowFacts read;
  ClassLabels classes;
  std::vector<FeatureScale> scales;
  std::vector<ShardRows> training, held_out;
};

class LinearData : public testing::Test {
 protected:
  Loaded load_files(const std::vector<std::string>& files, std::uint32_t shards = 1,
                    std::vector<ShardId> hosted = {0}) {
    Job job;
    job.shards = shards;
    job.input = files;
    if (!valid_.empty()) job.valid = {valid_};
    auto [read, data] = read_rows(job, settings_, hosted, false);
    SharedData all{.keys = read.keys, .classes = classes_of(settings_, read, files.front())};
    all.outputs = settings_.outputs(all.classes.size());
    Loaded out{read, all.classes, read.counts.scales(settings_, read.rows, read.keys), {}, {}};
    for (RowData& one : data) {
      one.held_out.rows.keep_below(read.keys);
      for (ShardRows* const rows : {&one.training, &one.held_out})
        for (double& label : rows->targets) label = *all.target(label);
      out.training.push_back(std::move(one.training));
      out.held_out.push_back(std::move(one.held_out));
    }
    return out;
  }
  Loaded load(const std::string& text, std::uint32_t shards = 1, std::vector<ShardId> hosted = {0}) {
    return load_files({files_.write("rows", text)}, shards, std::move(hosted));
  }
  tests::ScratchFiles files_;
  Settings settings_;
  std::string valid_;
};

TEST(ClassLabels, AreAscendingAndEachOnce) {
  ClassLabels classes({3, -1, 3});
  classes.add(0.5);
  classes.add(-1);
  EXPECT_EQ(classes.all(), (std::vector<double>{-1, 0.5, 3}));
  EXPECT_EQ(classes.find(3), 2U);
  EXPECT_EQ(classes.find(2), std::nullopt);
  EXPECT_EQ(classes.text(), "-1, 0.5 and 3");
}

TEST_F(LinearData, RowsGoToShardsInTurn) {
  const Loaded data = load("7 1:1\n3 2:2\n7 3:3\n3 1:4\n7 2:5\n", 3, {2, 0});
  EXPECT_EQ(text_of(data.training[0]), "1: 0=1 3=3;");
  EXPECT_EQ(text_of(data.training[1]), "1: 0=1 1=1;-1: 0=1 1=4;");
  EXPECT_EQ(data.read.rows, 5U);
  EXPECT_EQ(data.read.keys, 4U);
  EXPECT_EQ(data.classes.all(), (std::vector<double>{3, 7}));
}

TEST_F(LinearData, HeldOutRowsHaveTheFeaturesOfTheModel) {
  valid_ = files_.write("valid", "3 1:2 9:9\n");
  settings_.intercept = false;
  settings_.held_out = true;
  const Loaded data = load("7 1:1\n3 2:2\n");
  EXPECT_EQ(text_of(data.held_out[0]), "-1: 1=2;");
  valid_ = files_.write("valid", "3 1:2\n\n4 1:2\n");
  EXPECT_EQ(tests::message_of<DataError>([&] { load("7 1:1\n3 2:2\n"); }),
            valid_ + ":3: the label 4 is none of the training data's, 3 and 7");
}

TEST_F(LinearData, ScalesAreThoseOfTheFormula) {
  const Loaded data = load("1 1:2 2:1\n0 1:-4\n1 1:2\n0 1:4\n");
  // In units of the largest values, the squares of a row are 1 (intercept), (1/4 + 1 + 1/4 + 1) / 4 and 1 / 4.
  const double root = std::sqrt(1 + 2.5 / 4 + 0.25);
  EXPECT_EQ(data.scales[kIntercept].presence, 0);
  EXPECT_EQ(data.scales[1].presence, 1);
  EXPECT_EQ(data.scales[2].presence, 4);
  EXPECT_FLOAT_EQ(static_cast<float>(data.scales[kIntercept].step), static_cast<float>(1 / root));
  EXPECT_FLOAT_EQ(static_cast<float>(data.scales[1].step), static_cast<float>(1 / (4 * root)));
  settings_.squared_scales = true;
  EXPECT_FLOAT_EQ(static_cast<float>(load("1 1:2 2:1\n0 1:-4\n1 1:2\n0 1:4\n").scales[1].step),
                  static_cast<float>(1 / (16 * root * root)));
  settings_.normalized = false;
  EXPECT_EQ(load("1 1:2\n0 1:-4\n").scales[1].step, 1);
}

// Neither an indicator nor another intercept is centred.
TEST_F(LinearData, ColumnsFarFromZeroAreHeldLessTheirMean) {
  const std::string text =
      "7 1:1000000000.5 2:1 3:5\n3 1:1000000001 2:1 3:5\n7 1:1000000001.5 2:1 3:5\n3 1:1000000002 3:5\n";
  valid_ = files_.write("valid", "3 3:5\n");
  const Loaded data = load(text);
  EXPECT_EQ(text_of(data.training[0]),
            "1: 0=1 1=-0.75 2=1 3=5;-1: 0=1 1=-0.25 2=1 3=5;1: 0=1 1=0.25 2=1 3=5;-1: 0=1 1=0.75 3=5;");
  EXPECT_EQ(text_of(data.held_out[0]), "-1: 0=1 3=5 1=-1e+09;");
  EXPECT_EQ(data.read.far[1], 1000000001.25);
  EXPECT_EQ(data.read.counts.all()[1].rows, 4);
  EXPECT_EQ(data.read.counts.all()[1].largest(), 0.75);
  settings_.intercept = false;
  EXPECT_FALSE(load(text).read.centred);
  EXPECT_EQ(load(text).training[0].rows[0][0].value, 1e9F);
  EXPECT_EQ(load(text).read.far.keys, std::vector<std::uint32_t>{1});
}

// Rows that lack the column have 0 of it.
TEST_F(LinearData, AColumnFarFromZeroMayBeMissing) {
  std::string text = "7 2:1\n3 1:102\n";
  for (int i = 0; i < 98; ++i) text += i % 2 == 0 ? "7 1:100\n" : "3 1:102\n";
  const Loaded data = load(text);
  EXPECT_EQ(data.read.far[1], 100);
  EXPECT_EQ(text_of(data.training[0]).substr(0, 36), "1: 0=1 2=1 1=-100;-1: 0=1 1=2;1: 0=1");
  EXPECT_EQ(data.read.counts.all()[1].rows, 100);
}

TEST_F(LinearData, WeightsHaveMeanOne) {
  settings_.weights = files_.write("weights", "1\n2\n3\n2\n");
  EXPECT_EQ(load("1 1:1\n0 1:1\n0 1:1\n0 1:1\n").training[0].weights, (std::vector<double>{0.5, 1, 1.5, 1}));
  settings_.class_weights = ClassWeights::balanced;
  const std::vector<double> balanced = load("1 1:1\n0 1:1\n0 1:1\n0 1:1\n", 2, {1}).training[0].weights;
  ASSERT_EQ(balanced.size(), 2U);  // those of rows 1 and 3, which have 2 / 7 of half of all each
  EXPECT_NEAR(balanced[0], 4 * 0.5 * 2 / 7, 1e-15);
  settings_.weights = files_.write("weights", "1\n2\n");
  EXPECT_THROW(load("1 1:1\n0 1:1\n0 1:1\n0 1:1\n"), DataError);
}

TEST_F(LinearData, HashedFeaturesAreBelowTheBits) {
  settings_.bits = 3;
  const Loaded data = load("1 1:1 100000000:2\n0 7:1\n");
  EXPECT_EQ(data.read.keys, 9U);
  for (std::size_t r = 0; r < 2; ++r)
    for (const Entry& entry : data.training[0].rows[r]) EXPECT_LT(entry.key, 9U);
  EXPECT_EQ(data.training[0].rows[0].size(), 3U);
}

// Importances of held-out rows were ignored.
TEST_F(LinearData, ImportancesOfHeldOutRowsCount) {
  settings_.form.format = "vw";
  settings_.bits = 4;
  const std::vector<std::string> training = {files_.write("training", "1 |a x\n-1 |a y\n")};
  valid_ = files_.write("valid", "1 3 |a x\n-1 1 |a y\n");
  const Loaded data = load_files(training);
  EXPECT_EQ(data.held_out[0].weights, (std::vector<double>{1.5, 0.5}));
}

// A row had two entries of one key.
TEST_F(LinearData, FeaturesOfOneKeyAreOneEntry) {
  settings_.bits = 1;
  settings_.intercept = false;
  const Loaded data = load("1 1:1 2:2 3:4 4:8\n0 1:1\n");
  const std::span<const Entry> row = data.training[0].rows[0];
  ASSERT_LE(row.size(), 2U);
  float sum = 0;
  for (const Entry& entry : row) sum += entry.value;
  EXPECT_EQ(sum, 15);
  for (const auto& one : data.read.counts.all()) EXPECT_LE(one.rows, 2);
}

TEST_F(LinearData, LabelsMayBeWordsOfSeveralFiles) {
  settings_.form.target = "kind";
  const std::vector<std::string> files = {files_.write("a.csv", "x,kind\n2,pear\n-3,apple\n"),
                                          files_.write("b.csv", "kind;x\napple;4\n")};
  valid_ = files_.write("valid.csv", "y,x,kind\n8,1,apple\n8,2,pear\n");
  const Loaded data = load_files(files);
  EXPECT_EQ(text_of(data.training[0]), "1: 0=1 1=2;-1: 0=1 1=-3;-1: 0=1 1=4;");
  EXPECT_EQ(text_of(data.held_out[0]), "-1: 0=1 1=1;1: 0=1 1=2;");
  EXPECT_EQ(data.classes.text(), "apple and pear");
  EXPECT_EQ(data.read.names, std::vector<std::string>{"x"});
  valid_ = files_.write("valid.csv", "x,kind\n1,plum\n");
  EXPECT_EQ(tests::message_of<DataError>([&] { load_files(files); }),
            valid_ + ":2: the label plum is none of the training data's, apple and pear");
}

TEST_F(LinearData, LabelsAreEitherNumbersOrWords) {
  settings_.form.target = "kind";
  const std::string numbers = files_.write("a.csv", "x,kind\n2,0\n-3,1\n"),
                    words = files_.write("b.csv", "x,kind\n2,pear\n");
  const std::string wanted = words + ":2: column 'kind': 'pear' is not a number";
  EXPECT_EQ(tests::message_of<DataError>([&] { load_files({numbers, words}); }), wanted);
  valid_ = words;
  EXPECT_EQ(tests::message_of<DataError>([&] { load_files({numbers}); }), wanted);
}

TEST_F(LinearData, ErrorsAreReported) {
  const auto message = [&](const std::string& text) {
    const std::string what = tests::message_of<DataError>([&] { load(text); });
    return what.substr(std::min(what.size(), what.find("rows") + 4));
  };
  EXPECT_EQ(message("1 1:1\n2 1:1\n3 1:1\n"),
            ":3: a third label, 3: a loss of two classes (--loss=softmax takes more, and --one_against_rest)");
  EXPECT_EQ(message("1 1:1\n1 1:1\n"), ": expected labels of at least two classes, found only one: 1");
  EXPECT_EQ(message("1 1:1\n0 1:1e30\n"), ":2: a value above 1e15: scale the data");
  EXPECT_EQ(message("1 1:1\n0 4194305:1\n"),
            ":2: feature 4194305: more than 4194304 features have to be hashed (--bits)");
  EXPECT_EQ(load("1 1:1\n0 4194304:1\n").read.keys, 4194305U);
  settings_.loss = Loss::softmax;
  EXPECT_EQ(text_of(load("1 1:1\n2 1:1\n3 1:1\n").training[0]), "0: 0=1 1=1;1: 0=1 1=1;2: 0=1 1=1;");
  settings_.loss = Loss::squared;
  EXPECT_EQ(text_of(load("1.5 1:1\n1.5 1:1\n").training[0]), "1.5: 0=1 1=1;1.5: 0=1 1=1;");
}

}  // namespace
}  // namespace rota::linear
