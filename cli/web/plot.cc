#include "cli/web/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>

#include "cli/web/plot_axis.h"
#include "core/base/check.h"
#include "rota/utf8.h"

namespace rota {

namespace {

constexpr std::string_view kPlotMark = "<!-- Made by rota plot. -->";
// The colours of Okabe and Ito, which colour-blind people can tell apart.  With the dashes, whose number has no common
// factor with theirs, each curve is a pair of its own, and neighbours differ in both.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9"};
constexpr const char* kDashes[] = {"", "7 3", "2 2.5", "9 3 2 3", "14 4"};
static_assert(std::size(kColours) * std::size(kDashes) == kCurvesMost);
constexpr double kWidth = 400, kHeight = 260;  // between the axes
constexpr double kLetter = 6.7;                // width of most letters, with fonts of 12
constexpr double kLegendLine = 18, kSample = 34;

template <typename... Values>
std::string form(const char* format, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// Letters of Chinese, Japanese and Korean, and pictures, are about twice as wide.
double width_of(std::string_view text) {
  double letters = 0;
  while (!text.empty()) {
    const CodePoint next = next_code_point(text);
    letters += next.value >= 0x2e80 ? 2 : 1;
    text.remove_prefix(next.bytes);
  }
  return letters * kLetter;
}

// Beyond these, the range of an axis would not be a number.
constexpr double kLeast = 1e-150, kMost = 1e150;

bool is_drawn(const Plot& plot, double y) {
  return std::abs(y) <= kMost && (!plot.log_y || y >= kLeast);
}

// The ranges of all points that are drawn.
void fit(const Plot& plot, Axis& x, Axis& y) {
  x.low = y.low = std::numeric_limits<double>::infinity();
  x.high = y.high = -x.low;
  for (const Curve& curve : plot.curves)
    for (const auto& [at, value] : curve.points) {
      if (!is_drawn(plot, value)) continue;
      x.low = std::min(x.low, at), x.high = std::max(x.high, at);
      y.low = std::min(y.low, value), y.high = std::max(y.high, value);
    }
  if (x.low < x.high / 2 || x.low == x.high) x.low = std::min(0.0, x.low);
  if (x.low == x.high) x.high += 1;
  // Air above and below; a curve that is level, up to rounding, is in the middle.
  const double largest = std::max(std::abs(y.low), std::abs(y.high));
  if (y.log) {
    const double air = y.high / y.low < 1 + 1e-12 ? 1.2 : std::pow(y.high / y.low, 0.04);
    y.low /= air, y.high *= air;
  } else {
    const double range = y.high - y.low, level = largest > 0 ? largest * 0.1 : 1;
    const double air = range > largest * 1e-12 ? 0.04 * range : level;
    y.low = y.low >= 0 ? std::max(0.0, y.low - air) : y.low - air;
    y.high += air;
  }
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return form("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor) + xml_text(text) + "</text>\n";
}

std::string line_from(double x1, double y1, double x2, double y2) {
  return form("M%.2f %.2fL%.2f %.2f", x1, y1, x2, y2);
}

std::string path_of(const std::string& lines, const char* colour, double width, const char* dashes = "") {
  const std::string dashed = *dashes == '\0' ? "" : form(" stroke-dasharray=\"%s\"", dashes);
  return "<path fill=\"none\" stroke-linejoin=\"round\" d=\"" + lines +
         form("\" stroke=\"%s\" stroke-width=\"%.1f\"", colour, width) + dashed + "/>\n";
}

std::string path_of(const std::string& lines, std::size_t curve) {
  return path_of(lines, kColours[curve % std::size(kColours)], 1.6, kDashes[curve % std::size(kDashes)]);
}

// A line through the points, broken at gaps; a point between two gaps is a dot.
std::string curve_of(const Plot& plot, std::size_t number, const Axis& x, const Axis& y) {
  const auto& points = plot.curves[number].points;
  const auto drawn = [&](std::size_t i) { return i < points.size() && is_drawn(plot, points[i].second); };
  std::string path, dots;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!drawn(i)) continue;
    const double at_x = x.at(points[i].first), at_y = y.at(points[i].second);
    const bool begins = i == 0 || !drawn(i - 1);
    if (begins && !drawn(i + 1))
      dots += form("<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2\" fill=\"%s\"/>\n", at_x, at_y,
                   kColours[number % std::size(kColours)]);
    else
      path += form("%s%.2f %.2f", begins ? "M" : "L", at_x, at_y);
  }
  return (path.empty() ? "" : path_of(path, number)) + dots;
}

std::string axes_of(const Plot& plot, const Axis& x, const Axis& y) {
  std::string grid, marks = line_from(x.from, y.from, x.to, y.from) + line_from(x.from, y.from, x.from, y.to), texts;
  for (std::size_t i = 0; i < x.ticks.size(); ++i) {
    const double at = x.at(x.ticks[i]);
    marks += line_from(at, y.from, at, y.from + 4);
    texts += text_at(at, y.from + 18, "middle", x.labels[i]);
  }
  for (std::size_t i = 0; i < y.ticks.size(); ++i) {
    const double at = y.at(y.ticks[i]);
    grid += line_from(x.from, at, x.to, at);
    marks += line_from(x.from - 4, at, x.from, at);
    texts += text_at(x.from - 8, at + 4, "end", y.labels[i]);
  }
  texts += text_at(x.from + kWidth / 2, y.from + 38, "middle", plot.x_label + x.unit);
  texts += "<g transform=\"rotate(-90)\">\n";
  texts += text_at(-y.to - kHeight / 2, 14, "middle", plot.y_label + y.unit) + "</g>\n";
  return path_of(grid, "#ddd", 0.8) + path_of(marks, "#000", 1) + texts;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string escaped;
  const std::string visible = visible_text(text);  // XML has no other control characters than tabs and line breaks
  for (std::string_view rest = visible; !rest.empty();) {
    const CodePoint next = next_code_point(rest);
    const char32_t c = next.value;
    if (c == '&' || c == '<' || c == '>' || c == '"')
      escaped += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&quot;";
    else
      escaped += c == 0xfffe || c == 0xffff ? "\xef\xbf\xbd" : rest.substr(0, next.bytes);
    rest.remove_prefix(next.bytes);
  }
  return escaped;
}

bool is_plot(std::string_view beginning) {
  return beginning.find(kPlotMark) != beginning.npos;
}

bool has_points(const Plot& plot) {
  return std::ranges::any_of(plot.curves, [&](const Curve& curve) {
    return std::ranges::any_of(curve.points, [&](const auto& point) { return is_drawn(plot, point.second); });
  });
}

std::string plot_svg(const Plot& plot) {
  ROTA_CHECK(has_points(plot) && plot.curves.size() <= kCurvesMost);
  Axis x{.whole = plot.whole_x}, y{.log = plot.log_y};
  fit(plot, x, y);
  x.set_ticks();
  y.set_ticks();
  double labels = 0, names = 0;
  for (const std::string& label : y.labels) labels = std::max(labels, width_of(label));
  for (const Curve& curve : plot.curves) names = std::max(names, width_of(visible_text(curve.name)));
  const std::size_t lines = plot.curves.size() > 1 ? plot.curves.size() : 0;  // of the legend
  const double left = labels + 36, top = 10;
  const double width = left + kWidth + (lines > 0 ? 16 + kSample + 8 + names : 0) + 18;
  const double height = top + std::max(kHeight + 46, static_cast<double>(lines) * kLegendLine + 10);
  x.from = left, x.to = left + kWidth;
  y.from = top + kHeight, y.to = top;

  std::string svg = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + std::string(kPlotMark) + "\n<svg";
  svg += form(" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\"", width, height, width, height);
  svg += " xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n<title>";
  svg += xml_text(plot.y_label + " by " + plot.x_label + ":");
  for (const Curve& curve : plot.curves) svg += (&curve == plot.curves.data() ? " " : ", ") + xml_text(curve.name);
  svg += "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  svg += axes_of(plot, x, y);
  for (std::size_t i = 0; i < plot.curves.size(); ++i) svg += curve_of(plot, i, x, y);
  for (std::size_t i = 0; i < lines; ++i) {
    const double at_x = x.to + 16, at_y = top + (static_cast<double>(i) + 0.5) * kLegendLine;
    svg += path_of(line_from(at_x, at_y, at_x + kSample, at_y), i);
    svg += text_at(at_x + kSample + 8, at_y + 4, "start", plot.curves[i].name);
  }
  return svg + "</svg>\n";
}

}  // namespace rota
