// core/sources/host_files.h -- what this process reads for the code that readers of data are linked into.
#pragma once
#include "rota/host_files.h"

namespace rota {

// For plugins (Plugin::host_files), and for host_files_slot() of a program.
HostFiles& host_files();

}  // namespace rota
