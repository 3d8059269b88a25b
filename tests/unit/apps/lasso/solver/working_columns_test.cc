#include "apps/lasso/solver/working_columns.h"

namespace rota::lasso {
namespace {

using Rows = std::vector<std::uint32_t>;
using Numbers = std::vector<double>;

// Column 10 is sparse, 20 dense with a hole, 30 empty.
WorkingColumns three_columns() {
  WorkingColumns columns(6);
  columns.add<double>(10, 1.5, Rows{1, 4}, Numbers{2, -3});
  columns.add<float>(20, 2, Rows{0, 1, 2, 5}, std::vector<float>{1, 2, 3, 4});
  columns.add<double>(30, 1, Rows{}, Numbers{});
  return columns;
}

TEST(WorkingColumns, SparseAndDenseOnesAddUpAlike) {
  const WorkingColumns columns = three_columns();
  EXPECT_FALSE(columns.is_dense(0));
  EXPECT_TRUE(columns.is_dense(1));
  const Numbers v = {1, 10, 100, 1000, 1e4, 1e5}, h = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(columns.dot(0, v), 20 - 3e4);
  EXPECT_EQ(columns.dot(1, v), 1 + 20 + 300 + 4e5);
  EXPECT_EQ(columns.dot(2, v), 0);
  Numbers to(6, 0.0);
  columns.add_to(0, 2, to);
  columns.add_weighted_to(1, 10, h, to);
  EXPECT_EQ(to, (Numbers{10, 44, 90, 0, -6, 240}));
}

TEST(WorkingColumns, OnesThatAreSeenAreCopiedOnlyIfDense) {
  const Rows few = {1, 4}, many = {0, 1, 2, 5};
  const Numbers few_values = {2, -3}, many_values = {1, 2, 3, 4}, v = {1, 10, 100, 1000, 1e4, 1e5};
  for (const bool shifted : {false, true}) {
    WorkingColumns seen(6, shifted), copied(6, shifted);
    seen.add(1, 1.5, {few.data(), few_values.data(), 2});
    seen.add(2, 2, {many.data(), many_values.data(), 4});
    copied.add<double>(1, 1.5, few, few_values);
    copied.add<double>(2, 2, many, many_values);
    EXPECT_EQ(seen.values_of(0).data(), few_values.data());
    EXPECT_EQ(seen.rows_of(0).data(), few.data());
    EXPECT_TRUE(seen.is_dense(1));
    const std::vector<bool> second = {false, true};
    for (int i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < seen.size(); ++j) EXPECT_EQ(seen.dot(j, v), copied.dot(j, v));
      for (WorkingColumns* const its : {&seen, &copied}) its->keep(i == 0 ? second : std::vector<bool>{true});
    }
  }
}

TEST(WorkingColumns, MomentsAreAboutTheMeanOfAllRows) {
  const WorkingColumns columns = three_columns();
  const Numbers h(6, 0.5);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    Numbers x(6, 0.0);
    columns.add_to(j, 1, x);
    double sum = 0, square = 0, plain = 0;
    for (const double value : x) sum += value / 2;
    for (const double value : x) square += (value - sum / 3) * (value - sum / 3) / 2, plain += value * value / 2;
    EXPECT_DOUBLE_EQ(columns.moments(j, h, 3, true).sum, sum);
    EXPECT_NEAR(columns.moments(j, h, 3, true).centred_square, square, 1e-14);
    EXPECT_DOUBLE_EQ(columns.moments(j, h, 3, false).centred_square, plain);
  }
}

TEST(WorkingColumns, AConstantColumnHasNoSquareAboutItsMean) {
  WorkingColumns columns(1000);
  Rows rows, few;
  for (std::uint32_t i = 0; i < 1000; ++i) rows.push_back(i);
  for (std::uint32_t i = 0; i < 400; ++i) few.push_back(i);
  columns.add<double>(1, 1, rows, Numbers(1000, 0.1));
  columns.add<double>(2, 1, few, Numbers(400, 1e5 / 3));
  Numbers h(1000, 0.0);
  for (std::size_t i = 0; i < 400; ++i) h[i] = 1.0 / 400;
  EXPECT_EQ(columns.moments(0, Numbers(1000, 1e-3), 1, true).centred_square, 0);
  EXPECT_EQ(columns.moments(1, h, 1, true).centred_square, 0);
  EXPECT_GT(columns.moments(1, Numbers(1000, 1e-3), 1, true).centred_square, 0);
}

TEST(WorkingColumns, KeptColumnsKeepTheirOrder) {
  WorkingColumns columns = three_columns();
  columns.keep({false, true, true});
  EXPECT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns.key(0), 20U);
  EXPECT_FALSE(columns.contains(10));
  EXPECT_EQ(columns.position(30), 1U);
  EXPECT_EQ(columns.scale(0), 2);
  EXPECT_EQ(columns.dot(0, Numbers(6, 1.0)), 10);
  columns.add<double>(10, 1, Rows{5}, Numbers{7});
  EXPECT_EQ(columns.dot(2, Numbers(6, 1.0)), 7);
  EXPECT_EQ(columns.rows_of(2)[0], 5U);
}

TEST(WorkingColumns, WhatCannotBeAColumnIsRefused) {
  WorkingColumns columns = three_columns();
  EXPECT_THROW(columns.add<double>(10, 1, Rows{}, Numbers{}), std::invalid_argument);
  EXPECT_THROW(columns.add<double>(1, 1, Rows{6}, Numbers{1}), std::invalid_argument);
  EXPECT_THROW(columns.add<double>(1, 1, Rows{2, 2}, Numbers{1, 1}), std::invalid_argument);
  EXPECT_THROW(columns.add<double>(1, 1, Rows{2, 1}, Numbers{1, 1}), std::invalid_argument);
  EXPECT_THROW(columns.add<double>(1, 1, Rows{2}, Numbers{1, 1}), std::invalid_argument);
  EXPECT_EQ(columns.size(), 3U);
}

TEST(WorkingColumns, AreSavedAndRestored) {
  const WorkingColumns columns = three_columns();
  Writer out;
  write_fields(out, columns);
  const auto restored = [&](std::size_t rows, std::span<const std::byte> bytes) {
    WorkingColumns other(rows);
    Reader in(bytes);
    Archive list(in);
    list(other);
    return in.done() ? std::optional(std::move(other)) : std::nullopt;
  };
  const auto other = restored(6, out.view());
  ASSERT_TRUE(other);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(other->position(columns.key(j)), j);
    EXPECT_EQ(other->is_dense(j), columns.is_dense(j));
    EXPECT_EQ(other->scale(j), columns.scale(j));
    EXPECT_TRUE(std::ranges::equal(other->values_of(j), columns.values_of(j)));
  }
  for (std::size_t size = 0; size < out.view().size(); ++size) EXPECT_FALSE(restored(6, out.view().first(size)));
  EXPECT_FALSE(restored(4, out.view()));
}

}  // namespace
}  // namespace rota::lasso
