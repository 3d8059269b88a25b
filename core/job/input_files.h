// core/job/input_files.h -- which files --input names.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "rota/options.h"

namespace rota {

// `input` is a file, a folder, a pattern with * ? [, or several of these separated by commas.  The order is fixed:
// that of the list, and by name within a folder or a pattern.  Of a folder, the files right inside are meant, without
// hidden ones and without folders.  ExitCode::no_input if something is missing, empty or cannot be read; bad_data if it
// is data by shard, which is no text (packed_folder.h).
Result<std::vector<std::string>> input_files(std::string_view input);

// The same for a job, whose processes read them each, and again when it is resumed: no pipe and no device, but for
// /dev/null, which an app without data may be given.
Result<std::vector<std::string>> data_files(std::string_view input);

// ExitCode::no_input if one of the options is a path of what is there and is neither a file nor a folder.
Status check_paths(const Options& options, std::span<const Option> table);

// The parts of `input` between its commas, as they are.
std::vector<std::string> input_parts(std::string_view input);

// `input` with every part made absolute, so that it can be read from any folder; "-" stays.
std::string absolute_input(std::string_view input);

}  // namespace rota
