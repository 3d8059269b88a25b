#include "cli/web/plot_axis.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

Axis axis_of(double low, double high, bool log = false, bool whole = false) {
  Axis axis{.log = log, .whole = whole, .low = low, .high = high};
  axis.set_ticks();
  return axis;
}

TEST(PlotAxis, StepsAreOneTwoOrFive) {
  EXPECT_EQ(linear_ticks(0, 60, 6), (Numbers{0, 10, 20, 30, 40, 50, 60}));
  EXPECT_EQ(linear_ticks(0, 61, 6), (Numbers{0, 20, 40, 60}));
  EXPECT_EQ(linear_ticks(-7, 21, 6), (Numbers{-5, 0, 5, 10, 15, 20}));
  EXPECT_EQ(linear_ticks(0, 3, 6, 1), (Numbers{0, 1, 2, 3})) << "nothing between epochs";
  for (const double scale : {1e-150, 1e-9, 1.0, 1e150})
    for (double high = 1.01; high < 100; high *= 1.07) {
      const Numbers ticks = linear_ticks(scale, high * scale, 6);
      EXPECT_LE(ticks.size(), 7U);
      if (high > 1.5) {
        EXPECT_GE(ticks.size(), 2U) << scale << " to " << high * scale;
      }
    }
}

TEST(PlotAxis, LabelsHaveTheDigitsOfTheStep) {
  EXPECT_EQ(axis_of(0.1, 0.34).labels, (Texts{"0.10", "0.15", "0.20", "0.25", "0.30"}));
  EXPECT_EQ(axis_of(-25, 5).labels, (Texts{"−25", "−20", "−15", "−10", "−5", "0", "5"}));
  const Axis large = axis_of(-3.3e7, -3.05e7);
  EXPECT_EQ(large.labels, (Texts{"−33.0", "−32.5", "−32.0", "−31.5", "−31.0", "−30.5"}));
  EXPECT_EQ(large.unit, " (10⁶)");
  EXPECT_EQ(axis_of(0, 3e-4).unit, " (10⁻⁶)");
  EXPECT_EQ(axis_of(0, 100'000, false, true).labels.back(), "100000");
}

TEST(PlotAxis, LogarithmicTicks) {
  EXPECT_EQ(axis_of(0.15, 30, true).labels, (Texts{"0.2", "0.5", "1", "2", "5", "10", "20"}));
  EXPECT_EQ(axis_of(0.5, 2e5, true).labels, (Texts{"1", "10", "100", "1000", "10⁴", "10⁵"}));
  EXPECT_EQ(axis_of(1.5e7, 6e7, true).labels, (Texts{"2×10⁷", "5×10⁷"}));
  EXPECT_EQ(axis_of(1.2e7, 1.8e7, true).unit, " (10⁶)") << "too short for them: linear ticks";
  EXPECT_LE(log_ticks(1e-150, 1e150, 8).size(), 10U);
  const Axis axis{.log = true, .low = 1, .high = 100};
  EXPECT_DOUBLE_EQ(axis.at(10), 50);
}

}  // namespace
}  // namespace rota
