// apps/mf/als/settings.h -- the options of the app als.
#pragma once
#include <optional>

#include "apps/mf/settings.h"
#include "rota/error.h"

namespace rota::mf {

struct AlsSettings : Settings {
  std::optional<bool> conjugate;
  std::uint32_t cg_steps = 3;

  void options(auto& list) {
    rank_options(list);
    lambda_by_option(list);
    biases_option(list);
    list.flag("implicit", implicit,
              "Ratings are how often something was used (1 if a line has none); a pair without one is a weak 0.");
    list.number("alpha", alpha, "", 0, 1e9, "The confidence in a pair of rating r is 1 + alpha r.").needs = {
        "--implicit", [](const Options& options) { return options.flag("implicit"); }};
    list.choice("row_solver", conjugate, {{"auto", std::nullopt}, {"cholesky", false}, {"cg", true}},
                "How a row is solved: exactly, or by --cg_steps of conjugate gradients from its old value; auto: cg "
                "with more than 16 factors, unless they are --nonnegative.");
    list.number("cg_steps", cg_steps, "steps", 1, 1000000, "See --row_solver.").needs = {"--row_solver=cg",
                                                                                         takes_steps};
    form.options(list);
  }
  static bool takes_steps(const Options& options);
};

// Its cg_steps are 0 if rows are solved exactly.  Throws UsageError if the options contradict each other.
inline AlsSettings als_settings(const Options& options) {
  // Factors of a row up to which a decomposition is faster than three steps of conjugate gradients.
  constexpr std::uint32_t kMostDecomposed = 16;
  auto settings = settings_of<AlsSettings>(options);
  if (settings.implicit && settings.biases)
    throw UsageError("--biases are for explicit ratings: there are none with --implicit");
  if (settings.nonnegative && settings.conjugate.value_or(false))
    throw UsageError("--nonnegative requires --row_solver=cholesky");
  if (!settings.conjugate.value_or(settings.rank > kMostDecomposed && !settings.nonnegative)) settings.cg_steps = 0;
  settings.held_out = options.has("valid");
  return settings;
}

inline bool AlsSettings::takes_steps(const Options& options) {
  return als_settings(options).cg_steps > 0;
}

}  // namespace rota::mf
