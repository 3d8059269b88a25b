// apps/linear_models/row_scores.h -- linear predictions of rows by given weights, and their scores.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "apps/linear_models/losses.h"
#include "apps/linear_models/ordered_sum.h"
#include "apps/linear_models/rows.h"
#include "apps/linear_models/settings.h"
#include "rota/numerics/widest_registers.h"

namespace rota::linear {

// The layout of the weights of features and outputs: numbers[key * row + output * stride].
struct Weights {
  std::span<const double> numbers;
  std::size_t row, stride;
};

// Prefetches the numbers of many outputs of an entry that comes some entries later: memory takes as long as some of
// them.
inline void expect_outputs(std::span<const Entry> row, std::size_t at, const double* numbers, std::size_t width) {
  constexpr std::size_t kAhead = 8, kLine = 8;
  if (at + kAhead >= row.size()) return;
  const double* const first = numbers + row[at + kAhead].key * width;
  for (std::size_t i = 0; i < width; i += kLine) __builtin_prefetch(first + i);
}

inline double link_of(std::span<const Entry> row, const Weights& weights) {
  double link = 0;
  for (const Entry& entry : row) link += weights.numbers[entry.key * weights.row] * static_cast<double>(entry.value);
  return link;
}

// Sets the links of all rows, which are zeros.  `stride` is that of the weights: if it is known when this is compiled
// to be 1, the processor takes several outputs at once.
template <typename Stride>
ROTA_WIDEST_REGISTERS void add_links(const Rows& rows, const Weights& weights, Stride stride, std::uint32_t outputs,
                                     double* links) {
  const double* const numbers = weights.numbers.data();
  for (std::size_t r = 0; r < rows.size(); ++r, links += outputs) {
    const std::span<const Entry> row = rows[r];
    double* const __restrict sums = links;
    for (std::size_t at = 0; at < row.size(); ++at) {
      expect_outputs(row, at, numbers, weights.row);
      const double* const of_key = numbers + row[at].key * weights.row;
      const auto value = static_cast<double>(row[at].value);
      for (std::uint32_t k = 0; k < outputs; ++k) sums[k] += of_key[k * stride] * value;
    }
  }
}

// f of every row for output 0, 1, ..., row after row.
inline std::vector<double> links_of(const Rows& rows, const Weights& weights, std::uint32_t outputs) {
  std::vector<double> links(rows.size() * outputs);
  if (outputs == 1)
    for (std::size_t r = 0; r < rows.size(); ++r) links[r] = link_of(rows[r], weights);
  else if (weights.stride == 1)
    add_links(rows, weights, std::integral_constant<std::size_t, 1>(), outputs, links.data());
  else
    add_links(rows, weights, weights.stride, outputs, links.data());
  return links;
}

// The losses of rows with one output, or of each class against the rest.
template <typename LossOfRow, typename F>
decltype(auto) with_one_or_all(std::uint32_t outputs, const F& f) {
  return outputs == 1 ? f(OneOutput<LossOfRow>()) : f(OutputsAgainstRest<LossOfRow>());
}

// Calls f with the object that has a row's loss and slopes (losses.h).
template <typename F>
decltype(auto) with_loss(Loss loss, std::uint32_t outputs, const F& f) {
  switch (loss) {
    case Loss::softmax:
      return f(SoftmaxOutputs());
    case Loss::squared:
      return f(OneOutput<SquaredLoss>());
    case Loss::hinge:
      return with_one_or_all<HingeLoss>(outputs, f);
    case Loss::squared_hinge:
      return with_one_or_all<SquaredHingeLoss>(outputs, f);
    case Loss::logistic:
      break;
  }
  return with_one_or_all<LogisticLoss>(outputs, f);
}

// The output with the largest link, the first of equal ones.
inline std::uint32_t best_output(std::span<const double> links) {
  return static_cast<std::uint32_t>(std::max_element(links.begin(), links.end()) - links.begin());
}

// The intercepts of a model without features: the logarithms of the classes' shares, or of their odds, among these rows
// and half a row more of each class; none for losses without probabilities.
inline std::vector<double> intercepts_of(Loss loss, std::uint32_t outputs, const ShardRows& data) {
  if (!has_probabilities(loss)) return {};
  const std::size_t classes = std::max<std::size_t>(outputs, 2);
  std::vector<double> of_class(classes, 0.5);
  double all = 0.5 * static_cast<double>(classes);
  for (std::size_t r = 0; r < data.targets.size(); ++r) {
    const double target = data.targets[r];
    of_class[outputs > 1 ? static_cast<std::size_t>(target) : target > 0 ? 1 : 0] += data.weight(r);
    all += data.weight(r);
  }
  if (outputs == 1) return {log_of(of_class[1] / of_class[0])};
  for (double& one : of_class) one = log_of(one / (loss == Loss::softmax ? all : all - one));
  return of_class;
}

struct LossSums {
  double loss = 0;   // multiplied by the rows' weights
  double right = 0;  // rows whose class is the predicted one: f > 0, or the first of the largest f
};

template <typename Outputs>
LossSums score_rows(Outputs, std::span<const double> links, std::uint32_t outputs, const ShardRows& data) {
  LossSums sums;
  std::vector<double> row(outputs);
  for (std::size_t i = 0; i < data.targets.size(); ++i) {
    const std::span<const double> given = links.subspan(i * outputs, outputs);
    std::copy(given.begin(), given.end(), row.begin());
    if (best_output(row) == static_cast<std::uint32_t>(data.targets[i])) sums.right += 1;
    const double loss = Outputs::slopes(row, data.targets[i]);
    sums.loss += loss * data.weight(i);
  }
  return sums;
}

template <typename LossOfRow>
LossSums score_rows(OneOutput<LossOfRow>, std::span<const double> links, std::uint32_t, const ShardRows& data) {
  LossSums sums;
  sums.loss = chunked_sum(links.size(),
                          [&](std::size_t i) { return LossOfRow::value(links[i], data.targets[i]) * data.weight(i); });
  for (std::size_t i = 0; i < links.size(); ++i)
    if ((links[i] > 0) == (data.targets[i] > 0)) sums.right += 1;
  return sums;
}

inline LossSums score(Loss loss, std::span<const double> links, std::uint32_t outputs, const ShardRows& data) {
  LossSums sums = with_loss(loss, outputs, [&](auto of_row) { return score_rows(of_row, links, outputs, data); });
  if (loss == Loss::squared) sums.right = 0;  // there are no classes
  return sums;
}

}  // namespace rota::linear
