// apps/linear/settings.h -- the options of the app linear.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "apps/linear_models/settings.h"
#include "rota/error.h"
#include "rota/settings.h"

namespace rota::optimum {

using linear::kIntercept;
using linear::Loss;

enum class Solver { newton, svrg, svm };

struct Settings : linear::Settings {
  std::optional<Solver> chosen;
  Solver solver = Solver::newton;
  double tolerance = 1e-6;
  double rate = 0;              // of svrg
  std::uint64_t epochs = 1000;  // at most

  void options(auto& list) {
    linear::Settings::options(list);
    list.choice("solver", chosen,
                {{"auto", std::nullopt}, {"newton", Solver::newton}, {"svrg", Solver::svrg}, {"svm", Solver::svm}},
                "How the optimum is found: newton (logistic, squared, squared_hinge), svm (hinge, squared_hinge) or "
                "svrg (all but hinge); auto: svm for hinge, svrg for softmax or with --l1 above 0, else newton.");
    list.number("tolerance", tolerance, "", 1e-15, 1,
                "Where newton and svrg end: size of the gradient as a share of that at the beginning; svm: the "
                "duality gap as a share of the objective.");
    list.number("learning_rate", rate, "", 0, 1e6,
                "Size of the steps of svrg at the beginning; it is halved as often as needed; 0: 1.")
        .needs = {"--solver=svrg", is_svrg};
  }
  static bool is_svrg(const Options& options);
};

// Throws UsageError if the options contradict each other.
inline Settings settings_of(const Options& options) {
  constexpr double kMostDeviations = 1e4;  // of a column, for solvers that look at all rows at once
  auto settings = linear::checked_settings<Settings>(options);
  const Loss loss = settings.loss;
  settings.solver = settings.chosen.value_or(loss == Loss::hinge                        ? Solver::svm
                                             : loss == Loss::softmax || settings.l1 > 0 ? Solver::svrg
                                                                                        : Solver::newton);
  const auto refuse = [](bool wrong, const char* why) {
    if (wrong) throw UsageError(why);
  };
  const bool hinges = loss == Loss::hinge || loss == Loss::squared_hinge;
  switch (settings.solver) {
    case Solver::newton:
      refuse(loss == Loss::hinge || loss == Loss::softmax,
             "--solver=newton requires --loss=logistic, squared or squared_hinge");
      refuse(settings.l1 > 0, "--l1: --solver=newton has the L2 penalty only");
      break;
    case Solver::svm:
      refuse(!hinges || settings.l2 == 0, "--solver=svm requires --loss=hinge or squared_hinge, and --l2 above 0");
      refuse(settings.l1 > 0, "--l1: --solver=svm has the L2 penalty only");
      break;
    case Solver::svrg:
      refuse(loss == Loss::hinge,
             "--solver=svrg requires a smooth loss: slopes of --loss=hinge jump even near the optimum, so their "
             "variance does not shrink; --solver=svm fits it");
  }
  if (settings.rate == 0) settings.rate = 1;
  settings.squared_scales = true;
  settings.takes_steps = false;
  settings.state_width = settings.solver == Solver::svrg ? 3 : 2;
  if (settings.solver != Solver::svrg) settings.most_deviations = kMostDeviations;
  if (options.has("epochs") && options.integer("epochs") > 0)
    settings.epochs = static_cast<std::uint64_t>(options.integer("epochs"));
  return settings;
}

inline bool Settings::is_svrg(const Options& options) {
  return settings_of(options).solver == Solver::svrg;
}

}  // namespace rota::optimum
