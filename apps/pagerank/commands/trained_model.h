// apps/pagerank/commands/trained_model.h -- a committed model: the nodes and their ranks.
#pragma once
#include <string>
#include <vector>

#include "rota/model.h"

namespace rota::pagerank {

struct TrainedModel {
  std::vector<std::string> names;  // in the order of their first occurrence in the input
  std::vector<double> ranks;
};

// Throws DataError if a part is missing or damaged.
TrainedModel read_model(const Model& model);

// Numbers of the nodes of the highest ranks, the highest first; of equal ones the first.
std::vector<std::size_t> top_nodes(const TrainedModel& model, std::size_t most);

}  // namespace rota::pagerank
