#include "apps/sgd/initial_weights.h"

#include <algorithm>
#include <string>

#include "apps/sgd/tables.h"
#include "rota/error.h"

namespace rota::sgd {
namespace {

void require_fit(const TrainedModel& model, const Settings& settings) {
  const auto refuse = [](const std::string& what) { throw UsageError("--init_model: " + what); };
  if ((model.settings.loss == Loss::squared) != (settings.loss == Loss::squared))
    refuse("one of model and job has numbers (--loss=squared), the other classes");
  if (settings.outputs(model.classes.size()) != model.outputs)
    refuse("the model has " + std::to_string(model.outputs) + " weights for each feature, and this job has " +
           std::to_string(settings.outputs(model.classes.size())) + ": another --loss or --one_against_rest");
  if (model.settings.bits != settings.bits || model.settings.format != settings.format)
    refuse("the features of the model are hashed differently: --bits=" + std::to_string(model.settings.bits) +
           " --format=" + (model.settings.format == linear::RowFormat::vw ? "vw" : "libsvm"));
}

bool remember_alike(const Settings& a, const Settings& b) {
  return a.optimizer == b.optimizer && a.averages() == b.averages() && a.centres() == b.centres() &&
         !a.ends_at_optimum();
}

}  // namespace

InitialWeights::InitialWeights(const Model& model, const Settings& settings)
    : settings_(settings), model_(read_model(model)) {
  require_fit(model_, settings_);
  if (!remember_alike(model_.settings, settings_)) return;
  const std::size_t width = std::size_t{model_.outputs} * settings_.state_width();
  rows_.resize(model_.keys * width);
  model.for_each_row(kWeights, [&](Key key, std::span<const double> row) {
    std::copy_n(row.begin(), width, rows_.begin() + static_cast<std::ptrdiff_t>(key * width));
  });
  const auto rows_of_shard = static_cast<double>(model.facts().count("rows")) / model.job().shards;
  rows_before_ = rota::sgd::rows_before(model.facts()) + model.epoch() * rows_of_shard;
}

void InitialWeights::require_classes(const linear::ClassLabels& classes) const {
  if (classes != model_.classes)
    throw DataError("the model of --init_model", 0,
                    "its classes are " + model_.classes.text() + ", those of the data " + classes.text());
}

std::vector<double> InitialWeights::moves_of_intercept(const linear::Origins& origins) const {
  std::vector<double> moves;
  for (Key key = kIntercept + 1; key < model_.keys; ++key) {
    const double move = origins[key] - model_.origins[key];
    if (move == 0) continue;
    moves.resize(model_.outputs);
    for (std::uint32_t k = 0; k < model_.outputs; ++k) moves[k] += move * model_.weight(key, k);
  }
  return moves;
}

void InitialWeights::put_row(Key key, std::span<const double> moves, std::span<double> row) const {
  if (key >= model_.keys || (key == kIntercept && !settings_.intercept)) return;
  if (!rows_.empty() && moves.empty()) {
    std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(key * row.size()), row.size(), row.begin());
    return;
  }
  for (std::uint32_t k = 0; k < model_.outputs; ++k) {
    double* const state = row.data() + k * settings_.state_width();
    double weight = model_.numbers[key * model_.outputs + k];
    if (key == kIntercept) weight += (moves.empty() ? 0 : moves[k]) - centre();
    state[0] = state[settings_.model_weight()] = weight;
  }
}

double rows_before(const Facts& facts) {
  return facts.has("rows_before") ? facts.number("rows_before") : 0;
}

}  // namespace rota::sgd
