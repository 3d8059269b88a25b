// apps/linear/two_classes.h -- the two classes of a logistic model's response: the data's labels, and their codes in
// the loss.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "rota/io/number_text.h"

namespace rota::linear {

// The data's own labels.
struct TwoClasses {
  double smaller = -1;
  double larger = 1;

  bool has(double label) const { return label == smaller || label == larger; }
  // y of the loss log(1 + exp(-y f)).  REQUIRES: has(label).
  double code(double label) const { return label == larger ? 1 : -1; }
  std::string text() const { return io::exact_text(smaller) + " and " + io::exact_text(larger); }

  friend bool operator==(const TwoClasses&, const TwoClasses&) = default;
};

// The classes of all labels of a data set, which has two different ones.
inline TwoClasses classes_of(const std::vector<double>& labels) {
  const auto [smaller, larger] = std::minmax_element(labels.begin(), labels.end());
  return {*smaller, *larger};
}

inline std::vector<double> coded(std::vector<double> labels, const TwoClasses& classes) {
  for (double& label : labels) label = classes.code(label);
  return labels;
}

}  // namespace rota::linear
