#include "core/checkpoint/initial_model.h"

#include <string>
#include <utility>

#include "core/checkpoint/model_reader.h"

namespace rota {

namespace fs = std::filesystem;

Status check_app(const Plugin& plugin, const fs::path& run_or_model) {
  ROTA_ASSIGN(const auto app, app_of_model(run_or_model));
  if (app == plugin.name) return {};
  return {ExitCode::bad_data, "the model in " + run_or_model.string() + " was made by the app " + app +
                                  ", and this is the app " + std::string(plugin.name)};
}

Result<std::shared_ptr<const Model>> initial_model(const Plugin& plugin, const Options& options) {
  if (!options.has("init_model")) return std::shared_ptr<const Model>();
  if (!plugin.takes_model)
    return Status(ExitCode::usage,
                  "--init_model: the app " + std::string(plugin.name) + " does not begin with a model");
  const fs::path folder(options.text("init_model"));
  ROTA_TRY(check_app(plugin, folder).in("--init_model"));
  ROTA_ASSIGN(const auto hash, hash_of_model(folder));
  if (const std::string_view wanted = options.text("init_hash"); !wanted.empty() && hash != wanted)
    return Status(ExitCode::bad_data, "--init_model: " + folder.string() + " has the model " + hash +
                                          ", and the job began with " + std::string(wanted));
  ROTA_ASSIGN(auto model, open_model(folder, plugin).in("--init_model"));
  return std::shared_ptr<const Model>(std::move(model));
}

}  // namespace rota
