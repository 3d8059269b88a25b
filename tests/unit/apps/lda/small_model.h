// tests/unit/apps/lda/small_model.h -- a model of two topics and four words, made by hand.
#pragma once
#include "apps/lda/commands/trained_model.h"

namespace rota::tests {

// Words cat, dog, owl, sun; topic 0 has 6 cat, 3 dog, 1 sun, topic 1 has 1 dog, 4 owl; a third topic has none.
inline lda::TrainedModel small_model() {
  lda::TrainedModel model;
  model.priors = {{0.3, 0.2, 0.1}, 0.05};
  model.vocabulary = {"cat", "dog", "owl", "sun"};
  model.words = {{{6, 0}}, {{3, 0}, {1, 1}}, {{4, 1}}, {{1, 0}}};
  model.totals = {10, 5, 0};
  return model;
}

}  // namespace rota::tests
