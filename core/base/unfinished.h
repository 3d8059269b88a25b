// core/base/unfinished.h -- a file that gets its name when it is complete.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/files.h"

namespace rota {

inline constexpr std::string_view kUnfinished = ".unfinished-";  // and six letters

// A new file beside `file`, as readable as any other of this user; puts its `name`.  Not open, and errno says why, if
// it cannot be made.
FileDescriptor open_unfinished(const std::filesystem::path& file, std::string& name);

// A disk that is full or broken is ExitCode::disk, a place where nothing may be made cannot_write.
ExitCode code_of_write(int error);
// "cannot write FILE: " and the system's reason.
Status cannot_write(const std::filesystem::path& file, int error);

}  // namespace rota
