// core/job/scores.h -- the value of a score, from an evaluation's sums.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "rota/job.h"

namespace rota {

// sums[i] belongs to terms[i]; `items` is the number of items of the data.  No value if the divisor is 0.  Throws
// std::invalid_argument if the score names a term that does not exist.
inline std::optional<double> score_value(const Score& score, std::span<const Term> terms, std::span<const double> sums,
                                         std::uint64_t items) {
  const auto sum_of = [&](const std::string& name) {
    for (std::size_t i = 0; i < terms.size(); ++i)
      if (terms[i].name == name) return sums[i];
    throw std::invalid_argument("the score " + score.name + " is made of '" + name + "', which is no term");
  };
  const double sum = sum_of(score.term);
  const double count = score.count.empty() ? static_cast<double>(items) : sum_of(score.count);
  if (score.scale == Score::Scale::sum) return sum;
  if (count == 0) return std::nullopt;
  const double mean = sum / count;
  if (score.scale == Score::Scale::root_mean) return std::sqrt(mean);
  if (score.scale == Score::Scale::exp_mean) return std::exp(mean);
  return mean;
}

}  // namespace rota
