// cli/web/plot.h -- curves as one picture for papers: SVG that can be told apart without colours, with fonts that every
// viewer has.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rota {

struct Curve {
  std::string name;                                    // any text
  std::vector<std::pair<double, double>> points = {};  // x is finite; a y that is not finite is a gap
};

// Each of them looks different.
constexpr std::size_t kCurvesMost = 35;

struct Plot {
  std::string x_label, y_label;
  std::vector<Curve> curves;
  bool whole_x = false;  // x counts something
  bool log_y = false;    // what is not positive is a gap
};

// Whether there is a point to draw.
bool has_points(const Plot& plot);
// REQUIRES: has_points(plot), at most kCurvesMost curves.  One curve has no legend.
std::string plot_svg(const Plot& plot);

// Whether a file that begins like this was made by plot_svg().
bool is_plot(std::string_view beginning);

// Text as it can stand in XML.
std::string xml_text(std::string_view text);

}  // namespace rota
