// apps/lasso/commands/predict.h -- `rota predict lasso` and `rota evaluate lasso`: a model on other data.
#pragma once
#include <iosfwd>
#include <span>

#include "rota/plugin.h"

namespace rota::lasso {

// A number a line for every row of the input, in its order.
std::span<const Option> predict_options();
void predict(const Call& call, std::ostream& out);

// The quality of the model on the input, as JSON.
std::span<const Option> evaluate_options();
void evaluate(const Call& call, std::ostream& out);

}  // namespace rota::lasso
