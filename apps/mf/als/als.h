// apps/mf/als/als.h -- alternating least squares: an epoch is a round that solves all users' rows from the items', and
// one the other way round (Zhou, Wilkinson, Schreiber and Pan, "Large-scale parallel collaborative
// filtering for the Netflix prize", AAIM 2008; for implicit ratings Hu, Koren and Volinsky, ICDM 2008).
#pragma once
#include <memory>

#include "rota/app.h"

namespace rota::mf {

std::unique_ptr<App> als_app(const Job& job);

}  // namespace rota::mf
