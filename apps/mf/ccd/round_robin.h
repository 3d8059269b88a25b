// apps/mf/ccd/round_robin.h -- coordinate descent by rows of the ratings, users and items in turn: the schedule of the
// STRADS paper (Lee et al., "On model parallelization and scheduling strategies for distributed machine learning", NIPS
// 2014, section 3.2).
//
// A shard has a range of users and their ratings, each once.  With R the residuals of all factors but one, w the users'
// numbers of it and h the items', an epoch is
//
//   a round on users   every shard goes through its users, and with each through its factors:
//                      w_i = sum over i's ratings of R_ij h_j / (penalty_i + sum over them of h_j^2)
//   one for each k     every shard pushes, for every item, the sums of R_ij w_i and of w_i^2 over its own users; pull
//                      adds them and divides:  h_j = sum of R_ij w_i / (penalty_j + sum of w_i^2)
//
// Within a round no two changed numbers belong to the same rating, except for a user's, which change one after the
// other: so no round raises the objective.
#pragma once
#include <memory>
#include <vector>

#include "apps/mf/ccd/ccd_push.h"
#include "rota/pull.h"
#include "rota/round.h"

namespace rota::mf {

// A part of a row of items: numerators, then denominators.
inline constexpr std::uint32_t kItemParts = 2 * kTogether;

std::vector<Round> round_robin_rounds(std::uint32_t rank);
std::unique_ptr<Push> round_robin_push(const Settings& settings, std::shared_ptr<WholeData> whole,
                                       ShardRatings ratings);
// `deviation`: of the ratings.
std::unique_ptr<Pull> round_robin_pull(const Settings& settings, double deviation);

}  // namespace rota::mf
