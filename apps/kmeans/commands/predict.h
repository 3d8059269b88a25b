// apps/kmeans/commands/predict.h -- rota predict kmeans: the cluster of every row of a LIBSVM file.
#pragma once
#include <iosfwd>

#include "rota/plugin.h"

namespace rota::kmeans {

void predict(const Call& call, std::ostream& out);

}  // namespace rota::kmeans
