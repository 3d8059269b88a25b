// apps/sgd/commands/trained_model.h -- a committed model: its weights and classes, and the commands for it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "apps/linear_models/shard_rows.h"
#include "apps/sgd/settings.h"
#include "rota/model.h"
#include "rota/plugin.h"

namespace rota::sgd {

// What App::save_common writes: the labels of the classes, then, if there are any, origins of columns, then words of
// labels and names of columns.
struct ModelCommon {
  linear::ClassLabels classes;  // none for numbers
  linear::Origins origins;      // subtracted from rows before `numbers` apply
  std::vector<std::string> names;

  void encode(Writer& out) const;
  void decode(Reader& in);
};

struct TrainedModel : ModelCommon {
  Settings settings;
  std::uint32_t outputs = 1;
  Key keys = 0;                 // the intercept and the features
  std::vector<double> numbers;  // by key, then output
  double centre = 0;            // of numbers: subtracted from labels, and so added to the table's intercept

  // For rows as they are in the files.
  double weight(Key key, std::uint32_t output) const;
  // The class predicted from a row's links.  REQUIRES: classes.
  std::uint32_t class_of(std::span<const double> links) const;
};

// Throws DataError if a part is missing or damaged.
TrainedModel read_model(const Model& model);

std::span<const Command> commands();

// A model as text files, one of them for LIBLINEAR.  Throws std::runtime_error if they cannot be written.
void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::sgd
