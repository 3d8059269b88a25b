#include "cli/web/plot_axis.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace rota {

namespace {

constexpr int kTicksMost = 8;

std::string number_text(double number, int decimals) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", decimals, std::abs(number));
  return (number < 0 ? "−" : "") + std::string(text);
}

std::string power_text(int power) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = power < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(power))) text += kDigits[digit - '0'];
  return text;
}

// "0.002", "500", "2×10⁷"
std::string log_label(double value) {
  const int power = static_cast<int>(std::floor(std::log10(value) + 1e-9));
  if (std::abs(power) < 4) return number_text(value, std::max(0, -power));
  const std::string factor = number_text(value / std::pow(10, power), 0);
  return (factor == "1" ? "" : factor + "×") + power_text(power);
}

}  // namespace

double Axis::at(double value) const {
  const auto place = [&](double number) { return log ? std::log(number) : number; };  // a ratio may be too large
  return from + (place(value) - place(low)) / (place(high) - place(low)) * (to - from);
}

void Axis::set_ticks() {
  labels.clear();
  unit.clear();
  if (log) ticks = log_ticks(low, high, kTicksMost);
  if (log && ticks.size() > 1) {
    for (const double tick : ticks) labels.push_back(log_label(tick));
    return;
  }
  ticks = linear_ticks(low, high, kTicksMost, whole ? 1 : 0);
  const double largest = std::max(std::abs(low), std::abs(high));
  const int power = largest >= 1e6 || largest < 1e-3 ? 3 * static_cast<int>(std::floor(std::log10(largest) / 3)) : 0;
  if (power != 0) unit = " (" + power_text(power) + ")";
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  const int decimals = std::clamp(power - static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 15);
  for (const double tick : ticks) labels.push_back(number_text(tick / std::pow(10, power), decimals));
}

std::vector<double> linear_ticks(double low, double high, int most, double least_step) {
  const double least = std::max((high - low) / most, least_step), power = std::pow(10, std::floor(std::log10(least)));
  double step = 10 * power;
  for (const double factor : {5, 2, 1})
    if (factor * power >= least * (1 - 1e-9)) step = factor * power;
  std::vector<double> ticks;
  const double last = std::floor(high / step + 1e-9);
  for (double i = std::ceil(low / step - 1e-9); i <= last && static_cast<int>(ticks.size()) <= most; ++i)
    ticks.push_back(i == 0 ? 0 : i * step);  // not -0
  return ticks;
}

std::vector<double> log_ticks(double low, double high, int most) {
  const int first = static_cast<int>(std::floor(std::log10(low))), last = static_cast<int>(std::ceil(std::log10(high)));
  const int step = (last - first) / (most + 1) + 1;
  std::vector<double> ticks;
  for (int power = first; power <= last; ++power)
    for (const double factor : {1, 2, 5}) {
      const double tick = factor * std::pow(10, power);
      const bool counts = factor == 1 ? power % step == 0 : last - first <= 3;
      if (counts && tick >= low && tick <= high) ticks.push_back(tick);
    }
  return ticks;
}

}  // namespace rota
