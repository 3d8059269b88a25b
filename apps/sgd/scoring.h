// apps/sgd/scoring.h -- linear predictions of rows by given weights, and how good they are.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/sgd/data.h"
#include "apps/sgd/settings.h"

namespace rota::sgd {

// Where the weight of a feature and an output is: numbers[key * row + output * stride].
struct Weights {
  std::span<const double> numbers;
  std::size_t row, stride;
};

// f of every row for output 0, 1, ..., row after row.
std::vector<double> links_of(const Rows& rows, const Weights& weights, std::uint32_t outputs);

struct LossSums {
  double loss = 0;   // times the rows' weights
  double right = 0;  // rows whose class is the predicted one: f > 0, or the first of the largest f
};
LossSums score(Loss loss, std::span<const double> links, std::uint32_t outputs, const ShardRows& data);

// The output of the largest link, the first of equal ones.
std::uint32_t best_output(std::span<const double> links);

}  // namespace rota::sgd
