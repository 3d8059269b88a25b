#include "core/job/plugin_host.h"

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cstring>
#include <map>
#include <new>
#include <system_error>

#include "core/base/file_hash.h"
#include "core/base/files.h"
#include "core/base/trust.h"
#include "core/job/job_options.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr char kSymbol[] = "rota_plugin_v1";

std::vector<fs::path> folders(const fs::path& plugin_dir) {
  if (!plugin_dir.empty()) return {plugin_dir};
  return {program_folder() / ".." / ROTA_PLUGIN_DIR_BESIDE, fs::path(ROTA_PLUGIN_DIR)};
}

std::string list_of(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

Result<fs::path> locate(std::string_view app, const fs::path& plugin_dir) {
  std::error_code error;
  if (app.ends_with(".so")) {
    const fs::path file = fs::canonical(fs::path(app), error);
    if (error) return Status(ExitCode::usage, "app " + std::string(app) + ": " + error.message());
    return file;
  }
  if (app.empty()) return Status(ExitCode::usage, "no app is named; there are: " + list_of(available_apps(plugin_dir)));
  if (app.find('/') == app.npos)
    for (const fs::path& folder : folders(plugin_dir)) {
      const fs::path file = fs::canonical(folder / (std::string(app) + ".so"), error);
      if (!error) return file;
    }
  const auto apps = available_apps(plugin_dir);
  std::string what = "unknown app '" + std::string(app) + "'";
  what += apps.empty() ? "; none is installed" : "; there are: " + list_of(apps);
  return Status(ExitCode::usage, what + " (or give the path of a .so file)");
}

// By the plugin; plugins are never closed.
std::map<const Plugin*, Hash128>& file_hashes() {
  static auto* hashes = new std::map<const Plugin*, Hash128>;
  return *hashes;
}

Status check_plugin(const Plugin& plugin, const std::string& file) {
  // `abi` is read BEFORE anything else: what follows it may differ in another version.
  if (plugin.abi == nullptr || std::strcmp(plugin.abi, kAbiStamp) != 0)
    return {ExitCode::wrong_version, "plugin " + file + " was built for '" +
                                         (plugin.abi == nullptr ? "nothing" : plugin.abi) + "', this is '" + kAbiStamp +
                                         "': build it again with these headers and this compiler"};
  if (plugin.name.empty() || plugin.app == nullptr)
    return {ExitCode::failed, "plugin " + file + " is not complete: a name and an app are needed"};
  std::vector<Option> taken(job_options().begin(), job_options().end());
  taken.insert(taken.end(), role_options().begin(), role_options().end());
  return check_declarations(plugin.options, taken).in("plugin " + file);
}

}  // namespace

fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

std::vector<std::string> available_apps(const fs::path& plugin_dir) {
  std::vector<std::string> apps;
  for (const fs::path& folder : folders(plugin_dir)) {
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      if (at->path().extension() == ".so") apps.push_back(at->path().stem().string());
  }
  std::ranges::sort(apps);
  apps.erase(std::unique(apps.begin(), apps.end()), apps.end());
  return apps;
}

Result<const Plugin*> find_plugin(std::string_view app, const fs::path& plugin_dir) {
  ROTA_ASSIGN(auto file, locate(app, plugin_dir));
  // A user who can change it can run any code as us.
  ROTA_TRY(check_trusted(file).in("plugin refused"));

  ROTA_ASSIGN(const auto measured, hash_file(file));
  const Plugin* plugin = nullptr;
  boost::dll::fs::error_code no_symbol;
  const auto open = [&]() -> Status {
    // Kept open: objects and code of the plugin may be in use until the process ends.
    static auto* opened = new std::vector<boost::dll::shared_library>;
    const auto mode = boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local;
    opened->emplace_back(boost::dll::fs::path(file.string()), mode);
    if (!opened->back().has(kSymbol))
      return {ExitCode::wrong_version, file.string() + " is not a plugin of this Rota: it exports no " + kSymbol};
    plugin = opened->back().get<const Plugin*()>(kSymbol)();
    return {};
  };
  try {
    ROTA_TRY(open());
  } catch (const std::exception& error) {
    return Status(ExitCode::usage, "app " + file.string() + " cannot be loaded: " + error.what());
  }
  if (plugin == nullptr) return Status(ExitCode::failed, "plugin " + file.string() + " returned a null plugin");
  ROTA_TRY(check_plugin(*plugin, file.string()));
  file_hashes()[plugin] = measured.hash;
  return plugin;
}

Hash128 file_hash_of(const Plugin& plugin) {
  return file_hashes().at(&plugin);
}

Result<PluginLine> parse_with_plugin(int argc, const char* const* argv, std::span<const Option> own, AppFrom from) {
  FlagTables tables{.job = job_options(), .own = own, .plugin = {}, .any_plugin_option = true};
  ROTA_ASSIGN(auto first, parse_job_flags(argc, argv, tables));
  std::string app(first.options.text("app"));
  if (from == AppFrom::positional && !first.positional.empty()) {
    const std::string& named = first.positional.front();
    if (!app.empty() && app != (named.ends_with(".so") ? absolute_path(named) : named))
      return Status(ExitCode::usage, "--app=" + app + ": the command line names the app " + named);
    app = named;
  }
  if (app.empty() && first.wish != CommandLine::Wish::run) return PluginLine{std::move(first), nullptr};
  ROTA_ASSIGN(auto plugin, find_plugin(app, fs::path(first.options.text("plugin_dir"))));

  std::vector<const char*> words(argv, argv + argc);
  const std::string app_flag = "--app=" + app;
  // In front, where it is no value of a flag that lacks one.
  if (from == AppFrom::positional && argc > 0) words.insert(words.begin() + 1, app_flag.c_str());
  tables.plugin = plugin->options;
  tables.any_plugin_option = false;
  ROTA_ASSIGN(auto line, parse_job_flags(static_cast<int>(words.size()), words.data(), tables));
  const std::size_t expected = from == AppFrom::positional ? 1 : 0;
  if (line.wish == CommandLine::Wish::run && line.positional.size() > expected)
    return Status(ExitCode::usage, "unexpected argument '" + line.positional[expected] + "'");
  return PluginLine{std::move(line), plugin};
}

Status hook_failed(std::string_view plugin, std::string_view hook, std::string_view where) {
  std::string at = "plugin " + std::string(plugin) + ", " + std::string(hook);
  if (!where.empty()) at += ", " + std::string(where);
  try {
    throw;
  } catch (const DataError& error) {
    return {ExitCode::bad_data, error.what() + (" (" + at + ")")};
  } catch (const UsageError& error) {
    return {ExitCode::usage, error.what() + (" (" + at + ")")};
  } catch (const NoInput& error) {
    return {ExitCode::no_input, error.what() + (" (" + at + ")")};
  } catch (const std::bad_alloc&) {
    return {ExitCode::failed, at + ": out of memory"};
  } catch (const std::system_error& error) {
    const auto& category = error.code().category();
    const bool is_errno = category == std::generic_category() || category == std::system_category();
    return {is_errno ? code_of_system(error.code().value(), ExitCode::failed) : ExitCode::failed,
            at + ": " + error.what()};
  } catch (const std::exception& error) {
    return {ExitCode::failed, at + ": " + error.what()};
  } catch (...) {
    return {ExitCode::failed, at + ": threw something that is no std::exception"};
  }
}

}  // namespace rota
