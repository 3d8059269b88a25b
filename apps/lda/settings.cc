// apps/lda/settings.cc
#include "apps/lda/settings.h"

#include "rota/error.h"

namespace rota::lda {

Settings settings_of(const Options& options) {
  Settings settings = rota::settings_of<Settings>(options);
  settings.form.check();
  settings.alpha_given = settings.alpha_sum > 0 || options.has("alpha");
  settings.held_out = options.has("valid");
  if (settings.symmetric_alpha && settings.learn_alpha == 0)
    throw UsageError("--symmetric_alpha requires --learn_alpha: without it all topics have one alpha anyway");
  if (settings.copies > 1 && settings.learn_alpha + settings.learn_beta > 0)
    throw UsageError("--copies excludes --learn_alpha and --learn_beta: the counts are those of all copies");
  if (settings.alpha_sum == 0) return settings;
  if (options.has("alpha"))
    throw UsageError("--alpha and --alpha_sum exclude each other: alpha_sum is alpha times the number of topics");
  settings.alpha = settings.alpha_sum / settings.topics;
  if (!is_prior(settings.alpha)) throw UsageError("--alpha_sum: with that number of topics, each has less than 1e-9");
  return settings;
}

}  // namespace rota::lda
