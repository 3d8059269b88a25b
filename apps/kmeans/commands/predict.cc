#include "apps/kmeans/commands/predict.h"

#include <cstdint>
#include <functional>
#include <ostream>
#include <vector>

#include "apps/kmeans/commands/trained_model.h"
#include "apps/kmeans/rows.h"
#include "apps/kmeans/settings.h"
#include "rota/error.h"
#include "rota/io/number_text.h"

namespace rota::kmeans {
namespace {

void each_nearest(const Call& call, const Centres& centres, const std::function<void(const Nearest&)>& take) {
  std::vector<double> scores(centres.clusters());
  io::RowForm form = checked_settings(call.model->job().options).form;
  form.names = read_fields<std::vector<std::string>>(call.model->common());
  each_row(call.input, form,
           [&](std::uint64_t, const Row& row) { take(centres.nearest(row, square_of(row), scores)); });
}

}  // namespace

void predict(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  each_nearest(call, model.centres, [&](const Nearest& found) { out << found.cluster << "\n"; });
}

void evaluate(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  std::vector<std::uint64_t> sizes(model.centres.clusters());
  std::uint64_t rows = 0;
  double inertia = 0;
  each_nearest(call, model.centres, [&](const Nearest& found) {
    ++rows;
    ++sizes[found.cluster];
    inertia += found.distance;
  });
  if (rows == 0) throw DataError(call.input.front(), 0, "the data has no rows");
  out << "{\"rows\": " << rows << ", \"inertia\": " << io::exact_text(inertia) << ", \"cluster_sizes\": [";
  for (std::size_t k = 0; k < sizes.size(); ++k) out << (k > 0 ? ", " : "") << sizes[k];
  out << "]}\n";
}

}  // namespace rota::kmeans
