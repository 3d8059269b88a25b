// apps/lasso/by_rows/settings.h -- the options of the app lasso_rows.
#pragma once
#include <cstdint>

#include "apps/lasso/settings.h"

namespace rota::lasso {

// Which coefficients a round may change.
enum class Order {
  priority,     // drawn by their last change (the STRADS paper)
  round_robin,  // one after the other
  random,       // drawn uniformly
};
// What happens to coefficients that interfere with others of their round.
enum class Conflicts {
  group,   // they are updated one after the other, in a block
  drop,    // they wait for another round (the STRADS paper)
  ignore,  // they are updated at once; this may diverge
};

struct RowSettings : Settings {
  Order order = Order::priority;
  Conflicts conflicts = Conflicts::group;
  std::uint32_t coordinates = 256;  // coefficients that a round may change
  double correlation = 0.1;         // from which two columns interfere
  double eta = 1e-9;                // added to (last change)^2, in units of the largest first change
  double uniform_share = 0.2;       // of draws that ignore priorities

  bool finds_conflicts() const { return order == Order::priority && conflicts != Conflicts::ignore; }

  void options(auto& list) {
    static constexpr Needs kPriority = {"--order=priority",
                                        [](const Options& options) { return options.text("order") == "priority"; }};
    static constexpr Needs kConflicts = {"--order=priority without --conflicts=ignore", [](const Options& options) {
                                           return settings_of<RowSettings>(options).finds_conflicts();
                                         }};
    Settings::options(list);
    list.choice("order", order,
                {{"priority", Order::priority}, {"round_robin", Order::round_robin}, {"random", Order::random}},
                "Which coefficients a round may change: drawn by their last change, in turn, or drawn uniformly.");
    list.choice("conflicts", conflicts,
                {{"group", Conflicts::group}, {"drop", Conflicts::drop}, {"ignore", Conflicts::ignore}},
                "Coefficients of a round that interfere: in sequence, in another round, or at once (may diverge).");
    list.number("coordinates", coordinates, "coefficients", 1, 65'536, "Coefficients that a round may change.");
    list.number("correlation", correlation, "", 0, 1, "Cosine from which two columns interfere.").needs = kConflicts;
    list.number("eta", eta, "", 0, 1e9,
                "Added to the squared last change in a coefficient's priority, so that none is forgotten.")
        .needs = kPriority;
    list.number("uniform_share", uniform_share, "", 0, 1, "Share of draws that ignore priorities.").needs = kPriority;
  }
};

}  // namespace rota::lasso
