// cli/web/plot_axis.h -- an axis of a picture: which values it has, where they are, and its ticks.
#pragma once
#include <string>
#include <vector>

namespace rota {

struct Axis {
  bool log = false;
  bool whole = false;         // counts something: no ticks between whole numbers
  double low = 0, high = 1;   // of the values: low < high, and 0 < low if log
  double from = 0, to = 100;  // where they are in the picture
  std::vector<double> ticks = {};
  std::vector<std::string> labels = {};  // of the ticks
  std::string unit = "";                 // what the labels are multiples of: " (10⁶)"

  double at(double value) const;
  void set_ticks();
};

// Multiples of 1, 2 or 5 times a power of ten from `low` to `high`: at most `most` + 1, at least `least_step` apart.
std::vector<double> linear_ticks(double low, double high, int most, double least_step = 0);
// Powers of ten from `low` to `high`, with their multiples by 2 and 5 if that are few.
std::vector<double> log_ticks(double low, double high, int most);

}  // namespace rota
