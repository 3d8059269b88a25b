// tests/unit/apps/lasso/commands/generate_test.cc -- generated data is as generate.h specifies.
#include "apps/lasso/commands/generate.h"

#include "apps/linear/design/load.h"
#include "rota/error.h"
#include "tests/unit/apps/linear/plain_matrix.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::lasso {

using namespace linear;
namespace {

using rota::tests::message_of;
using rota::tests::ScratchFiles;
using tests::PlainColumns;

std::string text_of(const GenerateSettings& settings) {
  std::ostringstream out;
  generate(settings, out);
  return out.str();
}

struct Data {
  PlainColumns columns;
  std::vector<double> response;
};
Data data_of(const GenerateSettings& settings) {
  const ScratchFiles files;
  Source source;
  source.files = {files.write("data", text_of(settings))};
  const std::vector<ShardId> all = {0};
  ColumnShards loaded = load_columns(source, 1, all);
  EXPECT_EQ(loaded.shape.rows, settings.rows);
  return {tests::plain(loaded.hosted[0]), std::move(loaded.response)};
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double n = static_cast<double>(a.size());
  double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sa += a[i], sb += b[i];
    aa += a[i] * a[i], bb += b[i] * b[i], ab += a[i] * b[i];
  }
  return (ab - sa * sb / n) / std::sqrt((aa - sa * sa / n) * (bb - sb * sb / n));
}

std::vector<double> values_of(const PlainColumns& columns, std::size_t column) {
  std::vector<double> values;
  for (const auto& [row, value] : columns[column]) values.push_back(value);
  return values;
}

GenerateSettings small_chain() {
  GenerateSettings settings;
  settings.rows = 500;
  settings.columns = 20'000;
  settings.nonzeros = 50;
  return settings;
}

TEST(Generate, ChainIsThatOfThePaper) {
  const Data data = data_of(small_chain());
  ASSERT_EQ(data.columns.size(), 20'000U);
  std::size_t followers = 0;
  double sum = 0;
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    ASSERT_EQ(data.columns[j].size(), 25U);
    bool follows = j > 0;
    for (std::size_t k = 0; k < 25 && follows; ++k) {
      const auto &x = data.columns[j][k], &before = data.columns[j - 1][k];
      follows =
          x.row == before.row && x.value >= 0.9 * before.value - 1e-14 && x.value <= 0.9 * before.value + 0.1 + 1e-14;
    }
    followers += follows ? 1 : 0;
    for (const auto& [row, value] : data.columns[j]) {
      ASSERT_GT(value, 0);
      ASSERT_LT(value, 1);
      sum += value;
    }
  }
  EXPECT_NEAR(static_cast<double>(followers), 2000, 200);
  EXPECT_NEAR(sum / (20'000 * 25), 0.5, 0.01);
}

TEST(Generate, EqualSettingsGiveEqualBytes) {
  const std::string text = text_of(small_chain());
  EXPECT_EQ(text_of(small_chain()), text);
  GenerateSettings other = small_chain();
  other.seed = 2;
  EXPECT_NE(text_of(other), text);
}

TEST(Generate, SeveralPassesGiveTheRowsOfOne) {
  GenerateSettings settings = small_chain();
  const std::string text = text_of(settings);
  settings.entries_in_memory = 70'000;
  EXPECT_EQ(text_of(settings), text);
  settings.entries_in_memory = 1;
  settings.columns = 300;
  settings.nonzeros = 30;
  const std::string few = text_of(settings);
  settings.entries_in_memory = GenerateSettings{}.entries_in_memory;
  EXPECT_EQ(few, text_of(settings));
}

TEST(Generate, WithoutNoiseTheResponseIsALinearFunction) {
  GenerateSettings settings = small_chain();
  settings.noise = 0;
  settings.nonzeros = 1;
  settings.correlation = 0;
  const Data data = data_of(settings);
  // One column alone makes the response: the one with the same rows.
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < 500; ++row)
    if (data.response[row] != 0) rows.push_back(row);
  ASSERT_EQ(rows.size(), 25U);
  const auto found = std::find_if(data.columns.begin(), data.columns.end(), [&](const auto& column) {
    return std::equal(column.begin(), column.end(), rows.begin(),
                      [](const auto& x, std::uint32_t row) { return x.row == row; });
  });
  ASSERT_NE(found, data.columns.end());
  const double coefficient = data.response[rows[0]] / (*found)[0].value;
  for (const auto& [row, value] : *found) EXPECT_NEAR(data.response[row], coefficient * value, 1e-14);
}

TEST(Generate, NoiseIsAShareOfTheSignal) {
  GenerateSettings settings = small_chain();
  settings.rows = 5000;
  settings.noise = 0;
  const std::vector<double> signal = data_of(settings).response;
  settings.noise = 0.5;
  const std::vector<double> noisy = data_of(settings).response;
  double signal_square = 0, noise_square = 0, mean = 0;
  for (const double f : signal) mean += f / 5000;
  for (std::size_t i = 0; i < signal.size(); ++i) {
    signal_square += (signal[i] - mean) * (signal[i] - mean);
    noise_square += (noisy[i] - signal[i]) * (noisy[i] - signal[i]);
  }
  EXPECT_NEAR(std::sqrt(noise_square / signal_square), 0.5, 0.03);
}

TEST(Generate, LogisticResponseFollowsTheSignal) {
  GenerateSettings settings = small_chain();
  settings.rows = 5000;
  settings.noise = 0;
  const std::vector<double> signal = data_of(settings).response;
  settings.logistic = true;
  const std::vector<double> separated = data_of(settings).response;
  for (std::size_t i = 0; i < signal.size(); ++i) ASSERT_EQ(separated[i], signal[i] >= 0 ? 1 : -1);
  settings.noise = 1;
  double mean = 0, deviation = 0;
  for (const double f : signal) mean += f / 5000;
  for (const double f : signal) deviation += (f - mean) * (f - mean) / 5000;
  deviation = std::sqrt(deviation);
  const std::vector<double> drawn = data_of(settings).response;
  double positives = 0, expected = 0;
  for (std::size_t i = 0; i < signal.size(); ++i) {
    ASSERT_TRUE(drawn[i] == 1 || drawn[i] == -1);
    if (signal[i] <= 0.5 * deviation) continue;
    positives += drawn[i] == 1 ? 1 : 0;
    expected += 1 / (1 + std::exp(-signal[i] / deviation));
  }
  EXPECT_GT(expected, 200);
  EXPECT_NEAR(positives / expected, 1, 0.1);
}

TEST(Generate, DenseKindsCorrelateAsTheySay) {
  GenerateSettings settings;
  settings.rows = 4000;
  settings.columns = 12;
  settings.nonzeros = 3;
  settings.groups = 3;
  struct Expected {
    DataKind kind;
    std::optional<double> correlation;
    double within, between;
  };
  for (const Expected& expected :
       {Expected{DataKind::dense, {}, 0, 0}, Expected{DataKind::equicorrelated, {}, 0.5, 0.5},
        Expected{DataKind::groups, {}, 0.9, 0}, Expected{DataKind::groups, 0.2, 0.2, 0}}) {
    settings.kind = expected.kind;
    settings.correlation = expected.correlation;
    const Data data = data_of(settings);
    ASSERT_EQ(data.columns.size(), 12U);
    for (std::size_t a = 0; a < 12; ++a) {
      const std::vector<double> x = values_of(data.columns, a);
      ASSERT_EQ(x.size(), 4000U);
      double square = 0;
      for (const double v : x) square += v * v / 4000;
      EXPECT_NEAR(square, 1, 0.15);
      for (std::size_t b = 0; b < a; ++b)
        EXPECT_NEAR(correlation(x, values_of(data.columns, b)), a / 4 == b / 4 ? expected.within : expected.between,
                    0.08);
    }
    double response = 0;
    for (const double y : data.response) response += y * y / 4000;
    EXPECT_GT(response, 0);
  }
}

TEST(Generate, DecimalsAreWhatTheTextHas) {
  GenerateSettings settings = small_chain();
  settings.columns = 100;
  settings.nonzeros = 0;
  settings.decimals = 1;
  for (const auto& column : data_of(settings).columns)
    for (const auto& [row, value] : column) {
      ASSERT_GE(value, 0.1);
      ASSERT_EQ(std::round(value * 10) / 10, value);
    }
}

TEST(Generate, SettingsThatCannotBeAreRefused) {
  const auto refused = [](auto change) {
    GenerateSettings settings = small_chain();
    change(settings);
    return message_of<UsageError>([&] { text_of(settings); });
  };
  EXPECT_EQ(refused([](auto& s) { s.rows = 0; }), "generate: the number of rows must be from 1 to 4294967295");
  EXPECT_EQ(refused([](auto& s) { s.columns = 0; }), "generate: the number of columns must be from 1 to 268435456");
  EXPECT_EQ(refused([](auto& s) { s.per_column = 501; }), "generate: the values of a column must be from 1 to 500");
  EXPECT_EQ(refused([](auto& s) { s.nonzeros = 20'001; }),
            "generate: the number of true coefficients must be from 0 to 20000");
  EXPECT_EQ(refused([](auto& s) { s.decimals = 16; }), "generate: the number of decimals must be from 1 to 15");
  EXPECT_EQ(refused([](auto& s) { s.correlation = 1.5; }), "generate: the correlation must be from 0 to 1");
  EXPECT_EQ(refused([](auto& s) { s.noise = -1; }), "generate: the noise must not be negative");
  EXPECT_EQ(refused([](auto& s) { s.noise = std::numeric_limits<double>::quiet_NaN(); }),
            "generate: the noise must not be negative");
  EXPECT_EQ(refused([](auto& s) {
              s.kind = DataKind::groups;
              s.groups = 0;
            }),
            "generate: the number of groups must be from 1 to 20000");
}

TEST(Generate, AnOutputThatFailsIsAnError) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(message_of<std::runtime_error>([&] { generate(small_chain(), out); }),
            "the generated data cannot be written");
}

}  // namespace
}  // namespace rota::lasso
