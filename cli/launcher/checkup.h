// cli/launcher/checkup.h -- whether this machine can run processes of a job: what `rota doctor` reports.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace rota {

struct Finding {
  // warning: runs may be slow, or fail under some conditions.  failure: a run would end with `code`.
  enum class Kind { good, warning, failure };
  Kind kind = Kind::good;
  std::string what;    // "open files: 1024"
  std::string remedy;  // what to do about it; of a good one ""
  ExitCode code = ExitCode::ok;
};

struct Checkup {
  std::filesystem::path folder;  // of a run, or where one is to be; "": the current folder
  std::filesystem::path keys;    // "": none
};

// Writes a small file into the folder, and removes it; listens at a port for a moment.
std::vector<Finding> examine(const Checkup& what);

}  // namespace rota
