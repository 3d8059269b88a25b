#include "apps/mf/alternating/factors.h"

namespace rota::tests {
namespace {

using mf::RowForm;

mf::Settings settings_of(std::uint32_t rank, bool biases) {
  mf::Settings settings;
  settings.rank = rank;
  settings.biases = biases;
  return settings;
}

TEST(Factors, PartnersHaveOneInPlaceOfTheBias) {
  const std::vector<double> numbers = {1, 2, 0.5, 3, 4, -0.5};
  const mf::Partner partners[] = {{1, 0}, {0, 0}};
  const RowForm form(settings_of(2, true), 10, 1);
  std::vector<double> rows(16, 7), apart(2), own(8, 7);
  mf::gather_rows(numbers, form, partners, rows.data(), apart.data());
  EXPECT_EQ(rows, (std::vector<double>{3, 4, 1, 0, 0, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(apart, (std::vector<double>{9.5, 10.5}));
  mf::widen(numbers, form, 1, own.data());
  EXPECT_EQ(own, (std::vector<double>{3, 4, -0.5, 0, 0, 0, 0, 0}));
}

TEST(Factors, WithoutBiasesTheBaseIsPredictedApart) {
  const std::vector<double> numbers = {1, 2, 3, 4};
  const mf::Partner partners[] = {{1, 0}};
  const RowForm form(settings_of(2, false), 10, 1);
  std::vector<double> rows(8, 7), apart(1);
  mf::gather_rows(numbers, form, partners, rows.data(), apart.data());
  EXPECT_EQ(rows, (std::vector<double>{3, 4, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(apart[0], 10);
}

TEST(Factors, TheGramMatrixIsOfAllRows) {
  std::vector<double> numbers;
  for (int i = 0; i < 3 * 150; ++i) numbers.push_back(i % 7 - 2.0);
  const RowForm form(settings_of(3, false), 0, 1);
  LineVector<double> out;
  mf::gram(numbers, form, out);
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 8; ++j) {
      double sum = 0;
      for (std::size_t r = 0; r < 150 && i < 3 && j < 3; ++r) sum += numbers[r * 3 + i] * numbers[r * 3 + j];
      EXPECT_EQ(out[i * 8 + j], sum);  // of whole numbers
    }
}

}  // namespace
}  // namespace rota::tests
