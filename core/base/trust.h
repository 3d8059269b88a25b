// core/base/trust.h -- which users could have changed a file: what is run or trusted must belong to this user, or to
// one that is trusted anyway.
#pragma once
#include <filesystem>

#include "core/base/status.h"

namespace rota {

// Trusted are this user, root, and the owner of this program.  A path is trusted if it and every folder above it, with
// links resolved, belong to them and no other user can write there: not all, and not a group, unless it is the private
// one of its owner or of this user.  Such a group has the user's name and no other member or, if it has no name, the
// user's number.  In a sticky folder (/tmp) others can add files, but not replace ours, so that is no objection to a
// folder on the way; nor is anything to one that the program is in too, as a user that could change that could change
// the program.  ExitCode::not_authorised otherwise, saying what and how it is mended; a path that is not there is
// no_input.
Status check_trusted(const std::filesystem::path& path, const std::filesystem::path& program = "/proc/self/exe");

// The same, and it belongs to this user himself.
Status check_own(const std::filesystem::path& path);

// The same, no link, and no other user can read it either.  Or root has provided it for this user, as Kubernetes does
// with a Secret: through links of root's, a file of root's that at most this user's private group can read, in a folder
// where no other user can replace files (it may be sticky, and others may list it).
Status check_secret(const std::filesystem::path& path);

}  // namespace rota
