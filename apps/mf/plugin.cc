// apps/mf/plugin.cc -- matrix factorisation: an app for each family of solvers.
#include "rota/plugin.h"

#include "apps/mf/app.h"
#include "apps/mf/commands/commands.h"
#include "apps/mf/settings.h"

namespace rota::mf {
namespace {

std::unique_ptr<App> app(const Job& job) {
  switch (settings_of(job.options).solver) {
    case Solver::als:
      return als_app(job);
    case Solver::ccd:
      return ccd_app(job);
    default:
      return sgd_app(job);
  }
}

Plugin plugin() {
  static const Command kCommands[] = {show_command(),    predict_command(), evaluate_command(), recommend_command(),
                                      similar_command(), split_command(),   generate_command()};
  static constexpr std::string_view kPackedOptions[] = {"separator", "header", "implicit", "loss", "solver"};
  return {.name = "mf",
          .summary = "matrix factorisation of ratings, for recommendations: SGD, ALS or CCD++",
          .items = "ratings",
          .options = options(),
          .sliced = true,
          .packed_format = 3,
          .packed_options = kPackedOptions,
          .check = check,
          .framework_needs = framework_needs(),
          .app = app,
          .export_text = export_text,
          .commands = kCommands};
}

}  // namespace
}  // namespace rota::mf

ROTA_PLUGIN(rota::mf::plugin);
