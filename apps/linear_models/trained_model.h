// apps/linear_models/trained_model.h -- a committed model: its weights and classes, and the commands for it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "apps/linear_models/class_labels.h"
#include "apps/linear_models/feature_counts.h"
#include "apps/linear_models/row_scores.h"
#include "apps/linear_models/settings.h"
#include "rota/model.h"
#include "rota/plugin.h"

namespace rota::linear {

// The only table, a dense one.  Row j is feature j: for each output its state, the weight first.
inline constexpr TableId kWeights = 0;

// What App::save_common writes.
struct ModelCommon {
  ClassLabels classes;             // none for numbers
  Origins origins;                 // subtracted from rows before `numbers` apply
  std::vector<std::string> names;  // of columns, if the data has them

  void fields(auto& list) {
    std::vector<std::string> words = classes.words();
    list(classes, words, origins, names);
    list.check(words.empty() || words.size() == classes.size());
    classes.set_words(std::move(words));
  }
};

struct TrainedModel : ModelCommon {
  Settings settings;
  std::uint32_t outputs = 1;
  Key keys = 0;                 // the intercept and the features
  std::vector<double> numbers;  // by key, then output
  double centre = 0;            // of numbers: subtracted from labels, and so added to the table's intercept

  // For rows as they are in the files.
  double weight(Key key, std::uint32_t output) const {
    double weight = numbers[key * outputs + output];
    for (std::size_t i = 0; key == kIntercept && i < origins.keys.size(); ++i)
      weight -= origins.values[i] * numbers[origins.keys[i] * outputs + output];
    return weight;
  }
  // The class predicted from a row's links.  REQUIRES: classes.
  std::uint32_t class_of(std::span<const double> links) const {
    return outputs > 1 ? best_output(links) : links[0] > 0 ? 1 : 0;
  }
};

// Of any app of linear models.  Throws DataError if a part is missing or damaged.
TrainedModel read_model(const Model& model);

// show, predict and evaluate.
std::span<const Command> commands();

// A model as text files, one of them for LIBLINEAR.  Throws std::runtime_error if they cannot be written.
void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::linear
