// tests/unit/apps/mf/small_model.h -- a model of factors drawn at random.
#pragma once
#include <string>

#include "apps/mf/commands/trained_model.h"
#include "rota/numerics/seed_mixer.h"

namespace rota::tests {

inline mf::Side random_side(std::size_t count, std::uint32_t rank, const std::string& prefix, Random& random) {
  mf::Side side;
  side.width = (rank + 15) / 16 * 16;
  side.factors.resize(count * side.width);
  for (std::size_t i = 0; i < count; ++i) {
    side.names.number_of(prefix + std::to_string(i));
    for (std::uint32_t k = 0; k < rank; ++k) side.factors[i * side.width + k] = random.uniform_float() - 0.3F;
    side.biases.push_back(random.uniform() - 0.5);
  }
  return side;
}

inline mf::TrainedModel random_model(std::size_t users, std::size_t items, std::uint32_t rank) {
  Random random = random_named({users, items, rank});
  mf::TrainedModel model;
  model.settings.rank = rank;
  model.settings.biases = true;
  model.mean = model.base = 2.5;
  model.users = random_side(users, rank, "u", random);
  model.items = random_side(items, rank, "i", random);
  return model;
}

}  // namespace rota::tests
