// apps/mf/sgd/sgd.h -- stochastic gradient descent over slices that rotate.  README.md has the mathematics.
#pragma once
#include <memory>

#include "rota/app.h"

namespace rota::mf {

std::unique_ptr<App> sgd_app(const Job& job);

}  // namespace rota::mf
