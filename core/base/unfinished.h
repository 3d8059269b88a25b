// core/base/unfinished.h -- a file that gets its name when it is complete.
#pragma once
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/files.h"

namespace rota {

inline constexpr std::string_view kUnfinished = ".unfinished-";  // and six letters

// A new file beside `file`, as readable as any other of this user; puts its `name`.  Not open, and errno says why, if
// it cannot be made.
FileDescriptor open_unfinished(const std::filesystem::path& file, std::string& name);

// What open_one() opens, a descriptor or -1 and errno.  While the process or the system has none left, it is tried
// again, for 5 s at most: others close theirs.
FileDescriptor open_patiently(const std::function<int()>& open_one);

// Writes all bytes: 0, or errno.
int write_all(int fd, std::span<const std::byte> bytes);

// The system's reason; of a limit, how the user finds it.
std::string reason_of(int error);
// No descriptor is ExitCode::temporary, all else as the caller says.
ExitCode code_of_open(int error, ExitCode otherwise);
// A disk that is full or broken, or a file beyond its limit, is ExitCode::disk; a place where nothing may be made
// cannot_write; no descriptor or thread temporary; all else as the caller says.
ExitCode code_of_system(int error, ExitCode otherwise);
inline ExitCode code_of_write(int error) {
  return code_of_system(error, ExitCode::cannot_write);
}
// "cannot write FILE: " and the system's reason.
Status cannot_write(const std::filesystem::path& file, int error);

}  // namespace rota
