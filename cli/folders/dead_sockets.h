// cli/folders/dead_sockets.h -- what a job that was killed leaves in the folder of its sockets.
#pragma once
#include "core/job/run_folder.h"

namespace rota {

// What the names of the folders for a job's sockets begin with.
inline constexpr char kSocketFolderPrefix[] = "rota-";

// Removes the sockets of the job's processes from the folder that RUN/address names, if no process listens there; and
// the folder, if it is empty then and of the kind that `rota` makes for itself.  Nothing else, and no link is followed:
// the address may be anybody's, and the folder the user's own.
void remove_dead_sockets(const RunFolder& run);

}  // namespace rota
