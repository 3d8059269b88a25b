// core/checkpoint/model_reader.h -- a run's committed model: for the plugin's commands, and to begin a job with.
#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "core/base/status.h"
#include "rota/model.h"
#include "rota/options.h"
#include "rota/plugin.h"

namespace rota {

// `folder` is a run's folder or the model's own.  Checks sizes and hashes of all files against the manifest.
// ExitCode::no_input if there is no model, disk if it is damaged, wrong_version if its format is another.  Of
// `options`, the app's, one that the model was written without is younger than the model: it has its default.
Result<std::unique_ptr<Model>> open_model(const std::filesystem::path& folder, std::span<const Option> options = {});
// Of a model of the plugin's.  Its facts are what the app can make tables of.  Of a run that is not done it is the
// newest checkpoint that can be read; the run is neither locked nor changed.  ExitCode::no_input if there is none yet,
// usage if flags.txt has other options, temporary if checkpoints are replaced faster than they can be read.
Result<std::unique_ptr<Model>> open_model(const std::filesystem::path& folder, const Plugin& plugin);

// False for one that was read from a checkpoint.
bool is_final(const Model& model);

// The app that a model was trained with, by its own name.
Result<std::string> app_of_model(const std::filesystem::path& folder);
// Its model_hash, as in result.json.
Result<std::string> hash_of_model(const std::filesystem::path& folder);

// ExitCode::bad_data if the model is another app's; else as app_of_model().
Status check_app(const Plugin& plugin, const std::filesystem::path& run_or_model);

// The model that --init_model names; null if the option is not given.  ExitCode::usage if the app begins with none,
// bad_data if the model is another app's or not the one whose hash --init_hash has; else as open_model().
Result<std::shared_ptr<const Model>> initial_model(const Plugin& plugin, const Options& options);

}  // namespace rota
