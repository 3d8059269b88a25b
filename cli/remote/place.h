// cli/remote/place.h -- how an agent sees whether its machine has the folder of the run, on a shared file system, or
// only one of the same name: by what the launcher has just written into it.
#pragma once
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/job/run_folder.h"

namespace rota {

struct Place {
  std::string run;     // identifies the run, also when it is resumed
  std::string launch;  // is new each time: a folder that was copied to the machine before is not this one

  friend bool operator==(const Place&, const Place&) = default;
};

// As in the file and in messages to agents: "RUN LAUNCH".
std::string text_of(const Place& place);
// ExitCode::bad_data if it is anything else.
Result<Place> place_of(std::string_view text);

// Writes a new one into the folder, of the run that the one before names.
Result<Place> mark_place(const RunFolder& run);
// Whether the folder is the one that the launcher has marked.
bool is_marked(const RunFolder& run, const Place& place);

}  // namespace rota
