// core/base/trust.h -- which users could have changed a file: what is run or trusted must belong to this user, or to
// one that is trusted anyway.
#pragma once
#include <filesystem>

#include "core/base/status.h"

namespace rota {

// Trusted are this user, root, and the owner of this program.  A path is trusted if it and every folder above it, with
// links resolved, belong to them and no other user can write there: not all, and not a group, unless it is its owner's
// private one, which has the owner's name and no other member.  In a sticky folder (/tmp) others can add files, but not
// replace ours, so that is no objection to a folder on the way; nor is anything to one that the program is in too, as
// a user that could change that could change the program.  ExitCode::not_authorised otherwise, saying what and
// how it is mended; a path that is not there is no_input.
Status check_trusted(const std::filesystem::path& path, const std::filesystem::path& program = "/proc/self/exe");

// The same, and it belongs to this user himself.
Status check_own(const std::filesystem::path& path);

// The same, no link, and no other user can read it either.
Status check_secret(const std::filesystem::path& path);

}  // namespace rota
