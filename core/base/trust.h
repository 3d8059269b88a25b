// core/base/trust.h -- who could have changed a file: what is run or believed must be this user's own, or of somebody
// whom he has to trust anyway.
#pragma once
#include <filesystem>

#include "core/base/status.h"

namespace rota {

// Trusted are this user, root, and whose program this is.  A path is in trusted hands if it and every folder above it,
// behind all links, belong to them and nobody else can write there: not all, and not a group, unless it is its owner's
// private one, which has his name and nobody else in it.  In a sticky folder (/tmp) others can add files, but not
// replace ours, so that is no objection to a folder on the way; nor is anything to one that the program is in too, as
// whoever could change that could change the program.  ExitCode::not_authorised otherwise, saying what and
// how it is mended; a path that is not there is no_input.
Status check_trusted(const std::filesystem::path& path, const std::filesystem::path& program = "/proc/self/exe");

// The same, and it belongs to this user himself.
Status check_own(const std::filesystem::path& path);

// The same, no link, and nobody else can read it either.
Status check_secret(const std::filesystem::path& path);

}  // namespace rota
