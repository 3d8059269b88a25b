// cli/launcher/run_place.h -- where an active run is, as its coordinator reports it to a process that joins.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "core/base/status.h"
#include "core/job/run_folder.h"

namespace rota {

struct RunPlace {
  RunFolder run;
  std::uint32_t next_worker = 0;  // a number that no worker has
  std::map<std::string, std::string, std::less<>> flags;
};

// Errors are those of ask_status().  `assigns_worker`: the number is for the caller alone.
Result<RunPlace> ask_place(const std::string& address, int timeout_ms, const std::filesystem::path& keys,
                           bool assigns_worker);

// A folder of this machine's own takes the place of the run's: it gets the run's flags.
Status move_to(const std::filesystem::path& folder, RunPlace& place);

}  // namespace rota
