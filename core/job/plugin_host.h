// core/job/plugin_host.h -- finds and opens plugins, and catches what they throw.
//
// A plugin is code of the user's and has all of the user's rights; it is refused where others could have changed it.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/flags.h"
#include "core/base/hash.h"
#include "core/base/status.h"
#include "core/job/hook_trace.h"
#include "rota/plugin.h"

namespace rota {

// The plugin of `app`: a name, looked for in `plugin_dir` or, if that is empty, beside this program and then where
// plugins are installed; or the path of a .so file, or of a .py file with an app in Python, for which the plugin of the
// package `rota` is opened.  Never closed: valid as long as the process.
//
// Errors: usage if there is none (the text lists those there are) or it cannot be loaded, wrong_version if it was
// built against other headers, not_authorised if others can change the file (core/base/trust.h), failed if what it
// declares cannot be used.
Result<const Plugin*> find_plugin(std::string_view app, const std::filesystem::path& plugin_dir = {});

// Whether an app is named by the path of its file.
bool is_app_file(std::string_view app);

// Of the file that such a plugin was opened from, as it was then: other machines may have another of the same name.  Of
// an app in Python, with the files beside it that it imports.
Hash128 file_hash_of(const Plugin& plugin);

// The names of the apps that find_plugin would find, sorted.
std::vector<std::string> available_apps(const std::filesystem::path& plugin_dir = {});

std::filesystem::path program_folder();

// The command line of a process that needs the job's plugin: reads the flags, opens the plugin that --app names (or,
// for a command of `rota`, the one positional argument), and reads the flags again with the plugin's options.  With
// --help and --version the plugin may be null.
struct PluginLine {
  CommandLine line;
  const Plugin* plugin = nullptr;
};
enum class AppFrom { flag, positional };
Result<PluginLine> parse_with_plugin(int argc, const char* const* argv, std::span<const Option> own,
                                     AppFrom from = AppFrom::flag);

// The running exception as a Status; call_hook's one catch.
Status hook_failed(std::string_view plugin, std::string_view hook, std::string_view where);

// Calls `hook_call`, noted in the hook trace of this thread, and turns what it throws into a Status.
// DataError, UsageError, NoInput and ReadError, which the user can fix, keep their text in front: "file:line: what
// (plugin lda, load)"; anything else is ExitCode::failed with "plugin lda, push, round 12: what".
template <typename F>
Status call_hook(std::string_view plugin, std::string_view hook, std::string_view where, F&& hook_call) {
  const HookNote note(plugin, hook, where);
  try {
    std::forward<F>(hook_call)();
    return {};
  } catch (...) {
    return hook_failed(plugin, hook, where);
  }
}

}  // namespace rota
