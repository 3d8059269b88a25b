// cli/folders/fresh_folder.h -- the folder of a new run: made, or cleared of what a run left there that got nowhere.
#pragma once
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/status.h"
#include "core/job/run_folder.h"

namespace rota {

// What the user named on the command line, which is not to be touched.
struct NamedPath {
  std::string by;  // "--input"
  std::string path;
};

// Claims the folder, clears it if need be, and marks it as written by Rota.  `keeps_input`: the run will write its
// input there.
//
// In a folder with Rota's marker, what an earlier run left that committed nothing is removed, file by file, by the
// names that Rota gives.  A folder with anything else in it, a link or a name that is none of Rota's too, one that
// another `rota` works in, and one where something named would be removed is ExitCode::cannot_write, and nothing is
// touched.
Result<FileDescriptor> fresh_folder(const RunFolder& run, const std::vector<NamedPath>& named, bool keeps_input);

}  // namespace rota
