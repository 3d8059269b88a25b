// rota: the command line program.
#include <cstdio>

#include "cli/commands/commands.h"
#include "core/runtime/process.h"
#include "rota/utf8.h"

int main(int argc, char** argv) {
  const rota::Status begun = rota::begin_process();
  const rota::Status status = begun.ok() ? rota::run_rota(argc, argv) : begun;
  if (!status.ok()) std::fprintf(stderr, "rota: %s\n", rota::visible_text(status.what()).c_str());
  return static_cast<int>(status.code());
}
