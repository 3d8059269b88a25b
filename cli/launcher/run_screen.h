// cli/launcher/run_screen.h -- a run on a terminal, as `rota top` shows it.
#pragma once
#include <string>
#include <vector>

#include "cli/web/seen_run.h"

namespace rota {

// Lines of at most `width` characters and, unless `height` is 0, at most `height` of them: state, progress, objective,
// rate, checkpoint, a bar for each worker's shares of computing and wire, and the newest events.
std::vector<std::string> run_screen(const SeenRun& run, std::size_t width, std::size_t height);

}  // namespace rota
