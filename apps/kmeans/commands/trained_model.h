// apps/kmeans/commands/trained_model.h -- a committed model: the centres of its clusters.
#pragma once
#include <vector>

#include "apps/kmeans/centres.h"
#include "rota/model.h"

namespace rota::kmeans {

struct TrainedModel {
  std::vector<double> table;  // see centres.h
  Centres centres;            // refers to it
};

// Throws DataError if a part is missing or damaged.
TrainedModel read_model(const Model& model);

}  // namespace rota::kmeans
