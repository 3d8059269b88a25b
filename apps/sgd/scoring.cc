#include "apps/sgd/scoring.h"

#include <algorithm>

#include "apps/linear/ordered_sum.h"
#include "apps/sgd/losses.h"

namespace rota::sgd {
namespace {

template <typename Outputs>
LossSums score_outputs(std::span<const double> links, std::uint32_t outputs, const ShardRows& data) {
  LossSums sums;
  std::vector<double> row(outputs);
  for (std::size_t i = 0; i < data.targets.size(); ++i) {
    const std::span<const double> given = links.subspan(i * outputs, outputs);
    std::copy(given.begin(), given.end(), row.begin());
    if (best_output(row) == static_cast<std::uint32_t>(data.targets[i])) sums.right += 1;
    const double loss = Outputs::slopes(row, data.targets[i]);
    sums.loss += data.weights.empty() ? loss : loss * data.weights[i];
  }
  return sums;
}

template <typename LossOfRow>
LossSums score_one_or_all(std::span<const double> links, std::uint32_t outputs, const ShardRows& data) {
  if (outputs > 1) return score_outputs<OutputsAgainstRest<LossOfRow>>(links, outputs, data);
  LossSums sums;
  sums.loss = linear::chunked_sum(links.size(), [&](std::size_t i) {
    const double loss = LossOfRow::value(links[i], data.targets[i]);
    return data.weights.empty() ? loss : loss * data.weights[i];
  });
  for (std::size_t i = 0; i < links.size(); ++i)
    if ((links[i] > 0) == (data.targets[i] > 0)) sums.right += 1;
  return sums;
}

}  // namespace

std::vector<double> links_of(const Rows& rows, const Weights& weights, std::uint32_t outputs) {
  std::vector<double> links(rows.size() * outputs);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const Entry& entry : rows[r]) {
      const double* const at = weights.numbers.data() + entry.key * weights.row;
      for (std::uint32_t k = 0; k < outputs; ++k)
        links[r * outputs + k] += at[k * weights.stride] * static_cast<double>(entry.value);
    }
  return links;
}

LossSums score(Loss loss, std::span<const double> links, std::uint32_t outputs, const ShardRows& data) {
  switch (loss) {
    case Loss::softmax:
      return score_outputs<SoftmaxOutputs>(links, outputs, data);
    case Loss::squared:
      return {score_one_or_all<SquaredLoss>(links, 1, data).loss, 0};
    case Loss::hinge:
      return score_one_or_all<HingeLoss>(links, outputs, data);
    case Loss::squared_hinge:
      return score_one_or_all<SquaredHingeLoss>(links, outputs, data);
    default:
      return score_one_or_all<LogisticLoss>(links, outputs, data);
  }
}

std::uint32_t best_output(std::span<const double> links) {
  return static_cast<std::uint32_t>(std::max_element(links.begin(), links.end()) - links.begin());
}

}  // namespace rota::sgd
