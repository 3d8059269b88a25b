// cli/folders/text_form.h -- the text form of a model, beside the model or in a folder of its own.
#pragma once
#include <filesystem>
#include <memory>

#include "core/base/status.h"
#include "core/job/run_folder.h"
#include "rota/io/table_files.h"
#include "rota/model.h"
#include "rota/plugin.h"

namespace rota {

// open_model() for a command: stderr says so if the run is not done and its newest checkpoint is read.
Result<std::unique_ptr<Model>> open_to_read(const std::filesystem::path& run_or_model, const Plugin& plugin);

// Writes the text form into an empty folder: the plugin's own, or a table for each shared table.
Status write_text_form(const Plugin& plugin, const Model& model, const std::filesystem::path& folder);

// Writes the plugin's text form of a model into the folder that the model is in, over an earlier one.
// ExitCode::bad_data if another app made the model, usage if the run is not done: nothing is written into its folder.
Status export_model(const Plugin& plugin, const std::filesystem::path& run_or_model);

// The same into a folder of its own, its tables in this format; files that are not CSV stay as they are, and so do
// tables that the format cannot hold, of which stderr has a line.  ExitCode::cannot_write if the folder holds
// anything.
Status export_into(const Plugin& plugin, const std::filesystem::path& run_or_model, std::filesystem::path folder,
                   io::TableFormat format);

// Whether the text form of the run's model is there and whole.
bool has_text(const RunFolder& run);

}  // namespace rota
