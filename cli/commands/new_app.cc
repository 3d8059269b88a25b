// rota new DIR: an author's folder, from the installed template, built and tried at once.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cli/commands/commands.h"
#include "core/job/plugin_host.h"
#include "rota/utf8.h"

namespace rota {
namespace {

namespace fs = std::filesystem;

Status copy_template(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (!fs::is_directory(from, error))
    return {ExitCode::no_input,
            from.native() + " does not exist: install the package librota-dev, or Rota with `cmake --install`"};
  if (fs::exists(to, error) && !(fs::is_directory(to, error) && fs::is_empty(to, error)))
    return {ExitCode::cannot_write, to.native() + " is not empty"};
  fs::create_directories(to, error);
  if (!error) fs::copy(from, to, fs::copy_options::recursive, error);
  return error ? Status(ExitCode::cannot_write, to.native() + ": " + error.message()) : Status();
}

Status make_new(const CommandLine& line) {
  const fs::path folder = fs::absolute(line.positional.front()).lexically_normal();
  const fs::path prefix = (program_folder() / "..").lexically_normal();
  ROTA_TRY(copy_template(prefix / "share/rota/template", folder));
  std::printf("A new app is in %s; its try.sh builds, tests and trains it.\n", visible_text(folder.native()).c_str());
  std::fflush(stdout);
  const std::string script = (folder / "try.sh").native(), given = prefix.native();
  ::execl("/bin/sh", "sh", script.c_str(), given.c_str(), nullptr);
  return {ExitCode::failed, script + ": " + std::strerror(errno)};
}

}  // namespace

Status new_app_command(int argc, const char* const* argv) {
  return run_command(argc, argv,
                     {"new DIR",
                      "Makes a folder for apps of your own from the installed template: a line through\n"
                      "points (shared rows) and a matrix factorisation (slices).  Builds, tests and trains it.",
                      "in which folder? rota new DIR"},
                     make_new);
}

}  // namespace rota
