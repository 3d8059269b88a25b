// apps/lasso/commands/commands.h -- the commands of the app, with their options.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <span>

#include "rota/plugin.h"

namespace rota::lasso {

// The path as a table, and the coefficients of one penalty.
std::span<const Option> show_options();
void show(const Call& call, std::ostream& out);

// A number a line for every row of the input, in its order.
std::span<const Option> predict_options();
void predict(const Call& call, std::ostream& out);

// The quality of the model on the input, as JSON.
std::span<const Option> evaluate_options();
void evaluate(const Call& call, std::ostream& out);

// The model as text: tables for R, Python and people.
void export_text(const Model& model, const std::filesystem::path& folder);

}  // namespace rota::lasso
