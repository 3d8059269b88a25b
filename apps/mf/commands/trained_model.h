// apps/mf/commands/trained_model.h -- a committed model: factors and biases of users and items, and their names.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/mf/ratings/rating_data.h"
#include "apps/mf/scoring/top_items.h"
#include "apps/mf/settings.h"
#include "rota/model.h"
#include "rota/numerics/line_vector.h"

namespace rota::mf {

// Of users or of items, by number.
struct Side {
  Names names;
  std::size_t width = 0;  // of a row: the rank, and zeros up to a multiple of 16
  LineVector<float> factors;
  std::vector<double> biases;  // zeros in a model without

  std::size_t size() const { return biases.size(); }
  std::span<const float> row(std::size_t i) const { return std::span<const float>(factors).subspan(i * width, width); }
  ItemRows rows() const { return {factors.data(), width, {biases.begin(), biases.end()}}; }
};

// Factors and biases are in the units of the ratings: the rating of user u and item i is
//   base + bias_u + bias_i + p_u . q_i.
// For --loss=logistic that is the log-odds of 1; for bpr it is not a rating, but orders the items of a user.
struct TrainedModel {
  Settings settings;
  std::uint64_t ratings = 0, epoch = 0;
  double mean_rating = 0, deviation = 1;
  double mean = 0;  // of the ratings; the log-odds of the share of ones among labels; 0 for implicit ones, whose
                    // prediction is a preference (with als between 0 and 1)
  double base = 0;  // see base_of()
  double penalty_scale = 1;  // of lambda, for factors
  Side users, items;

  double score(std::uint32_t user, std::uint32_t item) const;
  // For an unknown user or item, the mean and, except for labels, the bias that is known.
  double score(std::optional<std::uint32_t> user, std::optional<std::uint32_t> item) const;
  // The score, or for labels the probability of 1.
  double prediction(std::optional<std::uint32_t> user, std::optional<std::uint32_t> item) const;
};

double dot(std::span<const float> a, std::span<const float> b);

// Those of each app.  Throw DataError if a part is missing or damaged.
TrainedModel read_sgd_model(const Model& model);
TrainedModel read_als_model(const Model& model);
TrainedModel read_ccd_model(const Model& model);

}  // namespace rota::mf
