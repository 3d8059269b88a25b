#include "core/job/plugin_host.h"

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <system_error>

#include "core/base/file_hash.h"
#include "core/base/files.h"
#include "core/base/trust.h"
#include "core/job/job_options.h"
#include "core/sources/host_files.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr char kSymbol[] = "rota_plugin_v1";
// Of the plugin of all apps in Python (python/plugin/app_classes.cc).
constexpr char kPythonSymbol[] = "rota_python_app_v1";
using PythonApp = const Plugin*(const std::string& file, const std::string& packages, std::vector<std::string>& others);

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
  if (is_app_file(app)) {
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
  return Status(ExitCode::usage, what + " (or give the path of a .so or .py file)");
}

// The folder of the package `rota` of Python: in a build tree or a wheel, or installed.
Result<fs::path> python_packages(const fs::path& app) {
  std::string all;
  for (const fs::path& folder : {program_folder() / "../python", program_folder() / "../..",
                                 program_folder() / "../lib/python3/dist-packages", fs::path(ROTA_PYTHON_DIR)}) {
    std::error_code error;
    const fs::path found = fs::canonical(folder, error);
    if (!error && fs::exists(found / "rota/_plugin.so", error)) return found;
    all += (all.empty() ? "" : ", ") + folder.lexically_normal().string();
  }
  return Status(ExitCode::usage, "app " + app.string() +
                                     " needs Rota's package for Python (python3-rota), which is in "
                                     "none of: " +
                                     all);
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

namespace {

// What `symbol` of a library is.  Kept open: objects and code of plugins may be in use until the process ends.
template <typename Function>
Result<std::function<Function>> open_library(const fs::path& file, const char* symbol, bool for_all) {
  using boost::dll::load_mode::type;
  static auto* opened = new std::vector<boost::dll::shared_library>;
  try {
    const type scope = for_all ? boost::dll::load_mode::rtld_global : boost::dll::load_mode::rtld_local;
    opened->emplace_back(boost::dll::fs::path(file.string()), boost::dll::load_mode::rtld_now | scope);
    if (!opened->back().has(symbol))
      return Status(ExitCode::wrong_version, file.string() + " is not a plugin of this Rota: it exports no " + symbol);
    return std::function<Function>(opened->back().get<Function>(symbol));
  } catch (const std::exception& error) {
    return Status(ExitCode::usage, "app " + file.string() + " cannot be loaded: " + error.what());
  }
}

struct OpenedApp {
  const Plugin* plugin = nullptr;
  std::vector<std::string> files;  // that it is made of
};

// Its own folder too must be out of others' reach: Python imports what lies there.
Result<OpenedApp> open_python(const fs::path& file) {
  ROTA_TRY(check_trusted(file.parent_path()).in("plugin refused"));
  ROTA_ASSIGN(const auto packages, python_packages(file));
  const fs::path library = packages / "rota/_plugin.so";
  ROTA_TRY(check_trusted(library).in("plugin refused"));
  // Modules of Python expect its library to be there for all.
  ROTA_ASSIGN(const auto open, open_library<PythonApp>(library, kPythonSymbol, true));
  OpenedApp app{nullptr, {file.string()}};
  std::vector<std::string> others;
  try {
    app.plugin = open(file.string(), packages.string(), others);
  } catch (const std::exception& error) {
    return Status(ExitCode::usage, "app " + file.string() + " cannot be loaded: " + error.what());
  }
  for (const std::string& other : others) ROTA_TRY(check_trusted(other).in("plugin refused"));
  app.files.insert(app.files.end(), others.begin(), others.end());
  return app;
}

Result<OpenedApp> open_app(const fs::path& file) {
  if (file.extension() == ".py") return open_python(file);
  ROTA_ASSIGN(const auto plugin, open_library<const Plugin*()>(file, kSymbol, false));
  return OpenedApp{plugin(), {file.string()}};
}

}  // namespace

bool is_app_file(std::string_view app) {
  return app.ends_with(".so") || app.ends_with(".py");
}

Result<const Plugin*> find_plugin(std::string_view app, const fs::path& plugin_dir) {
  ROTA_ASSIGN(auto file, locate(app, plugin_dir));
  // A user who can change it can run any code as us.
  ROTA_TRY(check_trusted(file).in("plugin refused"));

  ROTA_ASSIGN(const auto measured, hash_file(file));
  ROTA_ASSIGN(const OpenedApp opened, open_app(file));
  const Plugin* const plugin = opened.plugin;
  if (plugin == nullptr) return Status(ExitCode::failed, "plugin " + file.string() + " returned a null plugin");
  ROTA_TRY(check_plugin(*plugin, file.string()));
  plugin->host_files->store(&host_files());
  file_hashes()[plugin] = measured.hash;
  if (opened.files.size() > 1) {
    ROTA_ASSIGN(file_hashes()[plugin], hash_contents(opened.files));
  }
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
    if (!app.empty() && app != (is_app_file(named) ? absolute_path(named) : named))
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
  } catch (const AppFault& error) {
    return {ExitCode::bug, at + ": " + error.what()};
  } catch (const ReadError& error) {
    return {static_cast<ExitCode>(error.exit_code()), error.what() + (" (" + at + ")")};
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
