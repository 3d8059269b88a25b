// core/job/input_files.h -- which files --input names.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace rota {

// `input` is a file, a folder, a pattern with * ? [, or several of these separated by commas.  The order is fixed:
// that of the list, and by name within a folder or a pattern.  Of a folder, the files right inside are meant, without
// hidden ones.  ExitCode::no_input if something is missing, empty or cannot be read; bad_data if it is data by shard,
// which is no text (packed_index.h).
Result<std::vector<std::string>> input_files(std::string_view input);

// The parts of `input` between its commas, as they are.
std::vector<std::string> input_parts(std::string_view input);

// `input` with every part made absolute, so that it can be read from any folder; "-" stays.
std::string absolute_input(std::string_view input);

}  // namespace rota
