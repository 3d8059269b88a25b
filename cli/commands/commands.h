// cli/commands/commands.h -- the commands of `rota`.  argv[0] is the command's name.  Each returns success, or what to
// say on stderr and the exit code; results go to stdout.
#pragma once
#include <string>
#include <vector>

#include "core/base/status.h"

namespace rota {

Status train_command(int argc, const char* const* argv);
Status shard_command(int argc, const char* const* argv);
Status resume_command(int argc, const char* const* argv);
Status export_command(int argc, const char* const* argv);
Status status_command(int argc, const char* const* argv);
Status add_worker_command(int argc, const char* const* argv);
Status keys_command(int argc, const char* const* argv);
// What a plugin can do with a model: `rota show lda --model=DIR`.
Status plugin_command(int argc, const char* const* argv);
// `rota lda`: what the app is, and its commands.
Status describe_app(const std::string& app);
// The installed apps that have a command of this name.
std::vector<std::string> apps_with(const std::string& command);

}  // namespace rota
