// apps/linear_models/class_labels.h -- the classes of data: numbers of any value, or words.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rota/io/number_text.h"

namespace rota::linear {

// The data's own labels, ascending; class k has the k-th.  If they are words, the label of the k-th is k.  A logistic
// model has two: y of the loss log(1 + exp(-y f)) is -1 for the smaller one and 1 for the larger one.
class ClassLabels {
 public:
  ClassLabels() = default;
  explicit ClassLabels(std::vector<double> labels) : labels_(std::move(labels)) {
    std::sort(labels_.begin(), labels_.end());
    labels_.erase(std::unique(labels_.begin(), labels_.end()), labels_.end());
  }

  // Adds a new one; this may change the classes of the others.
  void add(double label) {
    const auto at = std::lower_bound(labels_.begin(), labels_.end(), label);
    if (at == labels_.end() || *at != label) labels_.insert(at, label);
  }
  // Gives the labels 0, 1, ... their words; none: they are numbers.
  void set_words(std::vector<std::string> words) { words_ = std::move(words); }
  const std::vector<std::string>& words() const { return words_; }
  std::size_t size() const { return labels_.size(); }
  double label(std::size_t k) const { return labels_[k]; }
  std::optional<std::uint32_t> find(double label) const {
    const auto at = std::lower_bound(labels_.begin(), labels_.end(), label);
    if (at == labels_.end() || *at != label) return std::nullopt;
    return static_cast<std::uint32_t>(at - labels_.begin());
  }
  const std::vector<double>& all() const { return labels_; }

  std::string text(std::size_t k) const { return k < words_.size() ? words_[k] : io::exact_text(labels_[k]); }
  // "1, 2 and 3"; of many only the first ten.
  std::string text() const {
    constexpr std::size_t kShown = 10;
    std::string out;
    for (std::size_t k = 0; k < std::min(labels_.size(), kShown); ++k)
      out += (k == 0 ? "" : k + 1 == labels_.size() ? " and " : ", ") + text(k);
    return out + (labels_.size() > kShown ? ", ..." : "");
  }

  // Without the words.
  void fields(auto& list) {
    list(labels_);
    list.check(std::adjacent_find(labels_.begin(), labels_.end(), std::greater_equal<>()) == labels_.end());
  }
  friend bool operator==(const ClassLabels&, const ClassLabels&) = default;

 private:
  std::vector<double> labels_;
  std::vector<std::string> words_;
};

// y of each label.  REQUIRES: two classes.
inline std::vector<double> coded(std::vector<double> labels, const ClassLabels& classes) {
  for (double& label : labels) label = label == classes.label(1) ? 1 : -1;
  return labels;
}

}  // namespace rota::linear
