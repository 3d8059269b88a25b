#include "apps/lasso/settings.h"

#include "rota/error.h"

namespace rota::lasso {

bool is_by_rows(const Options& options) {
  return !settings_of(options).by_columns();
}
bool has_priorities(const Options& options) {
  return settings_of(options).order == Order::priority;
}
bool finds_conflicts(const Options& options) {
  return has_priorities(options) && settings_of(options).conflicts != Conflicts::ignore;
}

Settings settings_of(const Options& options) {
  auto settings = rota::settings_of<Settings>(options);
  const bool rows = settings.partition == Partition::rows ||
                    (settings.order != Order::automatic && settings.order != Order::working_set);
  settings.partition = rows ? Partition::rows : Partition::columns;
  if (settings.order == Order::automatic) settings.order = rows ? Order::priority : Order::working_set;
  return settings;
}

void check(const Options& options) {
  const auto given = rota::settings_of<Settings>(options);
  given.form.check();
  if (given.lambda && given.lambda_ratio) throw UsageError("--lambda and --lambda_ratio exclude each other");
  if (given.partition == Partition::rows && given.order == Order::working_set)
    throw UsageError("--order=working_set requires --partition=columns: its shards are ranges of columns");
  const Settings settings = settings_of(options);
  if (given.partition == Partition::columns && settings.order != Order::working_set)
    throw UsageError("--order=" + std::string(options.text("order")) +
                     " requires --partition=rows: its shards are ranges of rows");
  if (given.folds == 1) throw UsageError("--folds=1 leaves no row to fit: give 2 or more, or 0 for none");
  if (options.has("valid"))
    throw UsageError("--valid: lasso validates by --folds; `rota predict lasso` scores other data");
  if (settings.order == Order::working_set && options.integer("schedulers") > 1)
    throw UsageError("--order=working_set has one scheduler: the one that chooses the working set");
}

}  // namespace rota::lasso
