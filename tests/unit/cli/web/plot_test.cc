#include "cli/web/plot.h"

#include <gtest/gtest.h>

#include <limits>

namespace rota::plot {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// The picture of one curve, without grid and axes.
std::string drawn(std::vector<std::pair<double, double>> points, bool log = false) {
  const std::string svg = plot_svg({"epoch", "objective", {{"a", std::move(points)}}, true, log});
  const auto line = svg.find("stroke=\"#0072b2\""), dot = svg.find("<circle");
  return svg.substr(line == svg.npos ? dot : svg.rfind("<path", line));
}

TEST(Plot, GapsBreakLines) {
  const std::string whole = drawn({{1, 3}, {2, 2}, {3, 1}, {4, 0}});
  EXPECT_EQ(count(whole, "M"), 1U);
  EXPECT_EQ(count(whole, "L"), 3U);
  const std::string broken = drawn({{1, 3}, {2, 2}, {3, kNaN}, {4, 0}, {5, 1}});
  EXPECT_EQ(count(broken, "M"), 2U);
  EXPECT_EQ(count(broken, "L"), 2U);
  EXPECT_EQ(count(broken, "nan"), 0U);
  const std::string alone = drawn({{1, 3}, {2, kNaN}, {3, 1}, {4, 0}});
  EXPECT_EQ(count(alone, "<circle"), 1U) << "a point between gaps is seen";
  EXPECT_EQ(count(drawn({{1, 3}, {2, 0}, {3, 1}, {4, 2}}, true), "<circle"), 1U) << "0 has no logarithm";
}

TEST(Plot, AnyNumbers) {
  EXPECT_FALSE(has_points({"x", "y", {{"a", {{1, kNaN}}}}}));
  EXPECT_FALSE(has_points({"x", "y", {{"a", {{1, -1}}}}, false, true}));
  for (const bool log : {false, true})
    for (const double low : {1e-150, 1.0, 1e150})
      for (const double high : {1e-150, 1.0, 1e150, std::numeric_limits<double>::infinity()}) {
        const std::string svg = plot_svg({"x", "y", {{"a", {{0, low}, {1, high}, {2, low}}}}, false, log});
        EXPECT_EQ(count(svg, "nan") + count(svg, "inf"), 0U) << low << " " << high;
        EXPECT_EQ(count(svg, "</svg>"), 1U);
      }
}

TEST(Plot, CurvesDifferWithoutColours) {
  Plot plot{"epoch", "objective", {}, true};
  for (std::size_t i = 0; i < kCurvesMost; ++i) plot.curves.push_back({std::to_string(i), {{0, 1}, {1, 2}}});
  const std::string svg = plot_svg(plot);
  for (const char* dashes : {"7 3", "2 2.5", "9 3 2 3", "14 4"})
    EXPECT_EQ(count(svg, std::string("stroke-dasharray=\"") + dashes), 14U) << "7 curves, and in the legend";
  EXPECT_EQ(count(svg, ">34</text>"), 1U);
}

TEST(Plot, AnyNames) {
  EXPECT_EQ(xml_text("a<b> & \"c\"\x1b\xff\xef\xbf\xbf"), "a&lt;b&gt; &amp; &quot;c&quot;\\x1b\\xff\xef\xbf\xbd");
  const std::string svg = plot_svg({"epoch", "<y>", {{"<a>", {{0, 1}}}, {"b&", {{0, 2}}}}});
  EXPECT_EQ(count(svg, "<a>") + count(svg, "<y>") + count(svg, "b&<"), 0U);
  EXPECT_EQ(count(svg, "&lt;a&gt;"), 2U) << "in the title and the legend";
  EXPECT_TRUE(is_plot(svg.substr(0, 4096)));
  EXPECT_FALSE(is_plot("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg>"));
}

}  // namespace
}  // namespace rota::plot
