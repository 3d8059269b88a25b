// apps/kmeans/commands/predict.h -- rota predict kmeans and rota evaluate kmeans: the clusters of a LIBSVM file's rows.
#pragma once
#include <iosfwd>

#include "rota/plugin.h"

namespace rota::kmeans {

// One a line.
void predict(const Call& call, std::ostream& out);
// As JSON: the number of rows, their inertia, and the sizes of the clusters.
void evaluate(const Call& call, std::ostream& out);

}  // namespace rota::kmeans
