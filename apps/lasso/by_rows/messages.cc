#include "apps/lasso/by_rows/messages.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace rota::lasso {
namespace {

// Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983.
void combine(Moments& moments, double weight, const Moments& other, double other_weight) {
  if (weight > 0 && other_weight > 0) {
    const double between = other.sum / other_weight - moments.sum / weight;
    moments.centred_square += between * between * (weight * other_weight / (weight + other_weight));
  }
  moments.centred_square += other.centred_square;
  moments.sum += other.sum;
}

}  // namespace

void throw_damaged() {
  throw std::runtime_error("damaged data: a note or reply");
}

void add(RowsSums& to, const RowsSums& sums) {
  const bool first = to.columns.empty();
  if (first) {
    to.columns.resize(sums.columns.size());
    to.positive.resize(sums.positive.size());
    to.classes = sums.classes;
  }
  if (sums.classes != to.classes) throw_damaged();
  if (sums.columns.size() != to.columns.size() || sums.positive.size() != to.positive.size()) throw_damaged();
  for (std::size_t j = 0; j < to.columns.size(); ++j) combine(to.columns[j], to.weight, sums.columns[j], sums.weight);
  for (std::size_t j = 0; j < to.positive.size(); ++j) to.positive[j] += sums.positive[j];
  to.tiny.insert(to.tiny.end(), sums.tiny.begin(), sums.tiny.end());
  to.largest.insert(to.largest.end(), sums.largest.begin(), sums.largest.end());
  to.largest_response = std::max(to.largest_response, sums.largest_response);
  to.rows += sums.rows;
  to.weight += sums.weight;
  to.response += sums.response;
}

void add(RowsSlopes& to, const RowsSlopes& slopes) {
  to.loss += slopes.loss;
  to.slope += slopes.slope;
  to.square += slopes.square;
  to.margin_positive += slopes.margin_positive;
  to.margin_negative += slopes.margin_negative;
  to.held_out += slopes.held_out;
  to.held_out_weight += slopes.held_out_weight;
  if (to.gradient.empty()) to.gradient.resize(slopes.gradient.size());
  if (slopes.gradient.size() != to.gradient.size()) throw_damaged();
  for (std::size_t j = 0; j < slopes.gradient.size(); ++j) to.gradient[j] += slopes.gradient[j];
}

std::vector<std::byte> differences_of(std::span<const Key> columns) {
  Writer out;
  Key last = 0;
  for (const Key column : columns) out.put_varint(column - std::exchange(last, column));
  return out.take();
}

std::vector<Key> columns_of(std::span<const std::byte> differences) {
  Reader in(differences);
  std::vector<Key> columns;
  while (in.ok() && !in.done()) columns.push_back(in.get_varint() + (columns.empty() ? 0 : columns.back()));
  return columns;
}

}  // namespace rota::lasso
