// cli/folders/copy_stdin.h -- what comes through a pipe, as a file that can be read more than once.
#pragma once
#include <filesystem>

#include "core/base/files.h"
#include "core/base/status.h"

namespace rota {

// Writes stdin to its end into a file, which `name` says for messages.  ExitCode::no_input if it is empty.
Status copy_stdin(const FileDescriptor& to, const std::filesystem::path& name);

}  // namespace rota
