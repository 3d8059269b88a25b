// apps/linear/commands/model.h -- a fitted linear model, and the commands for it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <vector>

#include "apps/linear/class_labels.h"
#include "apps/linear/feature_counts.h"
#include "apps/linear/row_options.h"
#include "apps/linear/row_scores.h"
#include "rota/plugin.h"

namespace rota::linear {

struct LinearModel {
  RowOptions rows;      // of the data that it was fitted to, and can be applied to
  ClassLabels classes;  // none for numbers
  std::uint32_t outputs = 1;
  Key keys = 0;                 // the intercept and the features
  Origins origins;              // subtracted from rows before `numbers` apply
  std::vector<double> numbers;  // by key, then output

  // For rows as they are in the files.
  double weight(Key key, std::uint32_t output) const {
    double weight = numbers[key * outputs + output];
    if (key == kIntercept)
      for (const std::uint32_t k : origins.keys()) weight -= origins[k] * numbers[k * outputs + output];
    return weight;
  }
  // The label predicted from a row's links.  REQUIRES: classes.
  double label(std::span<const double> links) const {
    return classes.label(outputs > 1 ? best_output(links) : links[0] > 0 ? 1 : 0);
  }
};

// The commands of an app, with their options: the heaviest features; a prediction for every row; scores of these.
std::span<const Option> show_options();
void show(const LinearModel& model, const Call& call, std::ostream& out);
std::span<const Option> predict_options();
void predict(const LinearModel& model, const Call& call, std::ostream& out);
void evaluate(const LinearModel& model, const Call& call, std::ostream& out);

// As text files, one of them for LIBLINEAR.  Throws std::runtime_error if they cannot be written.
void export_text(const LinearModel& model, const std::filesystem::path& folder);

}  // namespace rota::linear
