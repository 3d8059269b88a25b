#include "apps/kmeans/commands/predict.h"

#include <ostream>
#include <vector>

#include "apps/kmeans/commands/trained_model.h"
#include "apps/kmeans/rows.h"
#include "apps/kmeans/settings.h"

namespace rota::kmeans {

void predict(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  std::vector<double> scores(model.centres.clusters());
  each_row(call.input, settings_of(call.model->job().options).index_from,
           [&](std::uint64_t, const Row& row) { out << model.centres.nearest(row, scores).cluster << "\n"; });
}

}  // namespace rota::kmeans
