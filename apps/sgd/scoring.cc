#include "apps/sgd/scoring.h"

#include <algorithm>

#include "apps/linear/ordered_sum.h"
#include "apps/sgd/losses.h"

namespace rota::sgd {
namespace {

template <typename LossOfRow>
double sum_of(std::span<const double> links, const ShardRows& data) {
  return linear::chunked_sum(links.size(), [&](std::size_t i) {
    const double loss = LossOfRow::value(links[i], data.targets[i]);
    return data.weights.empty() ? loss : loss * data.weights[i];
  });
}

LossSums score_softmax(std::span<const double> links, std::uint32_t outputs, const ShardRows& data) {
  LossSums sums;
  std::vector<double> row(outputs);
  for (std::size_t i = 0; i < data.targets.size(); ++i) {
    const auto target = static_cast<std::uint32_t>(data.targets[i]);
    const std::span<const double> given = links.subspan(i * outputs, outputs);
    std::copy(given.begin(), given.end(), row.begin());
    if (best_output(row) == target) sums.right += 1;
    const double loss = softmax_loss(row, target);
    sums.loss += data.weights.empty() ? loss : loss * data.weights[i];
  }
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
  if (loss == Loss::softmax) return score_softmax(links, outputs, data);
  LossSums sums;
  switch (loss) {
    case Loss::squared:
      sums.loss = sum_of<SquaredLoss>(links, data);
      return sums;
    case Loss::hinge:
      sums.loss = sum_of<HingeLoss>(links, data);
      break;
    case Loss::squared_hinge:
      sums.loss = sum_of<SquaredHingeLoss>(links, data);
      break;
    default:
      sums.loss = sum_of<LogisticLoss>(links, data);
  }
  for (std::size_t i = 0; i < links.size(); ++i)
    if ((links[i] > 0) == (data.targets[i] > 0)) sums.right += 1;
  return sums;
}

std::uint32_t best_output(std::span<const double> links) {
  return static_cast<std::uint32_t>(std::max_element(links.begin(), links.end()) - links.begin());
}

}  // namespace rota::sgd
