// apps/lasso/settings.h -- the options of the Lasso app.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rota/plugin.h"

namespace rota::lasso {

enum class Loss { squared, logistic };
// How the design matrix is cut into data shards.
enum class Partition { automatic, rows, columns };
// Which coefficients a round may change.
enum class Order {
  automatic,
  working_set,  // columns: the support and the most violating columns, gathered and solved in one place
  priority,     // rows: drawn by their last change (the STRADS paper)
  round_robin,  // rows: one after the other
  random,       // rows: drawn uniformly
};
// What happens to coefficients that interfere with others of their round (rows).
enum class Conflicts {
  group,   // they are updated one after the other, in a block
  drop,    // they wait for another round (the STRADS paper)
  ignore,  // they are updated at once; this may diverge
};

struct Settings {
  Loss loss = Loss::squared;
  std::optional<double> lambda;  // of the last penalty; or
  double lambda_ratio = 0.1;     // this share of the smallest penalty that leaves no coefficient
  double l1_ratio = 1;
  std::uint32_t path = 1;   // penalties, from the largest to the one above
  std::uint32_t folds = 0;  // of the cross-validation; 0: none
  bool standardize = false, intercept = true;
  double tolerance = 1e-6;  // duality gap at which a fit is done, as a share of the objective at zero
  Partition partition = Partition::automatic;
  Order order = Order::automatic;
  Conflicts conflicts = Conflicts::group;
  std::uint32_t coordinates = 256;  // coefficients that a round may change (rows)
  double correlation = 0.1;         // from which two columns interfere (rows)
  double eta = 1e-9;                // added to (last change)^2, in units of the largest first change (rows)
  double uniform_share = 0.2;       // of draws that ignore priorities (rows)
  std::string weights, response;    // paths, or ""
};

std::span<const Option> options();
// Throws UsageError if the options contradict each other.
void check(const Options& options);
Settings settings_of(const Options& options);
std::span<const FrameworkNeeds> framework_needs();

}  // namespace rota::lasso
