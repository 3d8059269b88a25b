// core/checkpoint/initial_model.h -- the model that a job begins with (--init_model).
#pragma once
#include <filesystem>
#include <memory>

#include "core/base/status.h"
#include "rota/plugin.h"

namespace rota {

// ExitCode::bad_data if the model is another app's; else as app_of_model().
Status check_app(const Plugin& plugin, const std::filesystem::path& run_or_model);

// The model that --init_model names; null if the option is not given.  ExitCode::usage if the app begins with none,
// bad_data if the model is another app's or not the one whose hash --init_hash has; else as open_model().
Result<std::shared_ptr<const Model>> initial_model(const Plugin& plugin, const Options& options);

}  // namespace rota
