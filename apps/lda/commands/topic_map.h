// apps/lda/commands/topic_map.h -- topics as points of a plane: those with similar words are close to each other.
#pragma once
#include <vector>

#include "apps/lda/commands/trained_model.h"

namespace rota::lda {

struct MapPoint {
  double x = 0, y = 0;
};

// The first two principal coordinates (Gower, "Some distance properties of latent root and vector methods used in
// multivariate analysis", Biometrika 1966) of the Hellinger distances between the topics' word distributions,
//
//   h(j,k)^2  =  1/2 sum_w (sqrt phi_wj - sqrt phi_wk)^2
//
// which are the principal components of the points sqrt(phi_k / 2).  LDAvis (Sievert and Shirley, 2014) has the same
// picture with another distance.  Of the axes x has the larger variance, and on both the coordinate that is farthest
// from 0 is positive.
//
// Lanczos' method from a fixed start, with full orthogonalisation, at most 100 steps: exact for up to 100 topics, and
// to the digits that converged for more.  A step costs the order of the model's non-zero counts.
std::vector<MapPoint> topic_map(const TrainedModel& model);

}  // namespace rota::lda
