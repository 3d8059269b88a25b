#include "apps/linear_models/row_scores.h"

#include <algorithm>

#include "apps/linear_models/losses.h"
#include "apps/linear_models/ordered_sum.h"

namespace rota::linear {
namespace {

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
  LossSums sums = with_loss(loss, outputs, [&](auto of_row) { return score_rows(of_row, links, outputs, data); });
  if (loss == Loss::squared) sums.right = 0;  // there are no classes
  return sums;
}

std::uint32_t best_output(std::span<const double> links) {
  return static_cast<std::uint32_t>(std::max_element(links.begin(), links.end()) - links.begin());
}

}  // namespace rota::linear
