// apps/linear_models/row_scores.h -- linear predictions of rows by given weights, and their scores.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/linear_models/losses.h"
#include "apps/linear_models/rows.h"
#include "apps/linear_models/settings.h"

namespace rota::linear {

// The layout of the weights of features and outputs: numbers[key * row + output * stride].
struct Weights {
  std::span<const double> numbers;
  std::size_t row, stride;
};

// f of every row for output 0, 1, ..., row after row.
std::vector<double> links_of(const Rows& rows, const Weights& weights, std::uint32_t outputs);

struct LossSums {
  double loss = 0;   // multiplied by the rows' weights
  double right = 0;  // rows whose class is the predicted one: f > 0, or the first of the largest f
};
LossSums score(Loss loss, std::span<const double> links, std::uint32_t outputs, const ShardRows& data);

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
std::uint32_t best_output(std::span<const double> links);

}  // namespace rota::linear
