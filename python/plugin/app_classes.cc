// python/plugin/app_classes.cc -- one library is the plugin of all apps in Python, and the extension module
// rota._plugin: a Plugin for each class of an app.
//
// A program of Rota calls rota_python_app_v1 with an app's file.  In a Python process `rota._plugin.plugin_of` takes
// the file, or the class itself.
#include <pybind11/stl.h>

#include <array>
#include <deque>
#include <fstream>
#include <map>
#include <ostream>
#include <utility>

#include "python/plugin/hooks.h"
#include "rota/io/row_reader.h"

namespace rota::python {

namespace {

// A Plugin has plain functions, which are told nothing of their plugin: each class has its own, by its place.
constexpr std::size_t kMostClasses = 256;
constexpr std::size_t kMostCommands = 8;

struct CommandOfApp {
  std::string name, summary;
  py::object function;
};
// Lives as long as the process, and is never destroyed: the interpreter may be gone then.
struct Declared {
  AppClass its;
  Plugin plugin;
  std::deque<std::string> texts;
  std::vector<Option> options;
  std::vector<CommandOfApp> commands;
  std::vector<Command> command_list;
  py::object check, choose_shards, export_text;
};
std::array<Declared*, kMostClasses> declared = {};

py::object options_object(const Declared& of, const Options& options) {
  Job job;
  job.options = options;
  return job_object(of.its, job).attr("options");
}
void check_with(const Declared& of, const Options& options) {
  in_hook([&](Hook&) { of.check(options_object(of, options)); });
}
ChosenShards chosen_with(const Declared& of, const Job& job) {
  ChosenShards chosen;
  chosen.from = "the app";
  in_hook([&](Hook&) { chosen.shards = of.choose_shards(job_object(of.its, job)).cast<std::uint32_t>(); });
  return chosen;
}
// A call with a model, which is lent.
template <typename F>
void with_model(const Declared& of, const Model* model, F&& f) {
  in_hook([&](Hook&) {
    PyModel its{model, py::none()};
    if (model != nullptr) its.options = options_object(of, model->job().options);
    const py::object object = py::cast(its);
    f(object);
    object.cast<PyModel*>()->at = nullptr;
  });
}
void export_with(const Declared& of, const Model& model, const std::filesystem::path& folder) {
  with_model(of, &model, [&](const py::object& object) { of.export_text(object, folder.string()); });
}
void run_command(const Declared& of, std::size_t command, const Call& call, std::ostream& out) {
  with_model(of, call.model, [&](const py::object& object) {
    out << py::str(of.commands[command].function(object)).cast<std::string>();
  });
}

// The functions of one plugin.
template <std::size_t I>
std::unique_ptr<App> app_of(const Job& job) {
  return std::make_unique<PyApp>(declared[I]->its, job);
}
template <std::size_t I>
void check_of(const Options& options) {
  check_with(*declared[I], options);
}
template <std::size_t I>
ChosenShards chosen_of(const Job& job) {
  return chosen_with(*declared[I], job);
}
template <std::size_t I>
void export_of(const Model& model, const std::filesystem::path& folder) {
  export_with(*declared[I], model, folder);
}
template <std::size_t I, std::size_t C>
void command_of(const Call& call, std::ostream& out) {
  run_command(*declared[I], C, call, out);
}

struct Functions {
  std::unique_ptr<App> (*app)(const Job&);
  void (*check)(const Options&);
  ChosenShards (*choose_shards)(const Job&);
  void (*export_text)(const Model&, const std::filesystem::path&);
  std::array<void (*)(const Call&, std::ostream&), kMostCommands> commands;
};
template <std::size_t I, std::size_t... C>
constexpr Functions functions_of(std::index_sequence<C...>) {
  return {app_of<I>, check_of<I>, chosen_of<I>, export_of<I>, {command_of<I, C>...}};
}
template <std::size_t... I>
constexpr std::array<Functions, sizeof...(I)> all_functions(std::index_sequence<I...>) {
  return {functions_of<I>(std::make_index_sequence<kMostCommands>())...};
}
constexpr std::array<Functions, kMostClasses> kFunctions = all_functions(std::make_index_sequence<kMostClasses>());

std::string_view keep(Declared& in, const py::object& text) {
  return in.texts.emplace_back(py::str(text).cast<std::string>());
}

void declare_options(Declared& made, const py::object& type) {
  using Kind = Option::Kind;
  static const std::map<std::string, Kind> kKinds = {{"integer", Kind::integer}, {"real", Kind::real},
                                                     {"text", Kind::text},       {"flag", Kind::flag},
                                                     {"choice", Kind::choice},   {"path", Kind::path}};
  for (const py::handle one : type.attr("options")) {
    Option option;
    option.name = keep(made, one.attr("name"));
    option.kind = kKinds.at(one.attr("kind").cast<std::string>());
    option.default_value = keep(made, one.attr("text"));
    option.unit = keep(made, one.attr("unit"));
    option.meaning = keep(made, one.attr("meaning"));
    option.least = one.attr("least").cast<double>();
    option.most = one.attr("most").cast<double>();
    made.options.push_back(option);
  }
  if (!type.attr("takes_rows").cast<bool>()) return;
  for (Option option : declared_options<io::RowForm>()) {
    option.about_input = true;
    made.options.push_back(option);
  }
}

const Plugin* declare(const py::object& type, const std::string& stem) {
  const auto free = std::find(declared.begin(), declared.end(), nullptr);
  for (auto at = declared.begin(); at != free; ++at)
    if ((*at)->its.type.is(type)) return &(*at)->plugin;
  if (free == declared.end())
    throw std::runtime_error("this process has used " + std::to_string(kMostClasses) +
                             " classes of apps, and can use no more: start it again");
  const Functions& functions = kFunctions[static_cast<std::size_t>(free - declared.begin())];
  auto made = std::make_unique<Declared>();
  const py::module_ package = py::module_::import("rota.plugin");
  made->its.type = type;
  made->its.sliced = !type.attr("slice").is(package.attr("App").attr("slice"));
  Plugin& plugin = made->plugin;
  const py::object name = type.attr("name");
  plugin.name = py::len(name) > 0 ? keep(*made, name) : std::string_view(made->texts.emplace_back(stem));
  plugin.summary = keep(*made, type.attr("summary"));
  plugin.items = keep(*made, type.attr("items"));
  plugin.epochs = type.attr("epochs").cast<std::uint32_t>();
  plugin.starting_pass = type.attr("starting_pass").cast<bool>();
  plugin.several_schedulers = type.attr("several_schedulers").cast<bool>();
  plugin.sliced = made->its.sliced;
  if (type.attr("synchronous").cast<bool>()) plugin.framework_needs = kSynchronous;
  declare_options(*made, type);
  plugin.options = made->options;
  plugin.app = functions.app;
  const auto optional = [&](const char* method, py::object& to) {
    to = py::getattr(type, method, py::none());
    return !to.is_none();
  };
  if (optional("check", made->check)) plugin.check = functions.check;
  if (optional("choose_shards", made->choose_shards)) plugin.choose_shards = functions.choose_shards;
  if (optional("export_text", made->export_text)) plugin.export_text = functions.export_text;
  for (const auto& [command, function] : type.attr("commands").cast<std::map<std::string, py::object>>()) {
    if (made->commands.size() == kMostCommands) throw py::value_error("an app has at most 8 commands");
    const py::object about = py::getattr(function, "__doc__", py::none());
    made->commands.push_back({command, about.is_none() ? "" : py::str(about).cast<std::string>(), function});
  }
  for (std::size_t i = 0; i < made->commands.size(); ++i)
    made->command_list.push_back(
        {.name = made->commands[i].name, .summary = made->commands[i].summary, .run = functions.commands[i]});
  plugin.commands = made->command_list;
  *free = made.release();
  return &(*free)->plugin;
}

// The plugin of a class, or of the one in a file; and the other files that it was made of.
const Plugin* plugin_of_file(const std::string& file, std::vector<std::string>& others) {
  const py::tuple loaded = py::module_::import("rota.plugin").attr("_load")(file);
  others = loaded[1].cast<std::vector<std::string>>();
  return declare(loaded[0], std::filesystem::path(file).stem().string());
}

py::capsule plugin_of(const py::object& app) {
  const Plugin* plugin = nullptr;
  if (py::isinstance<py::type>(app)) {
    plugin = declare(app, app.attr("__name__").cast<std::string>());
  } else {
    std::vector<std::string> others;
    plugin = plugin_of_file(std::filesystem::canonical(py::str(app).cast<std::string>()).string(), others);
  }
  return py::capsule(plugin, "rota::Plugin");
}

}  // namespace

// The plugin of the app in `file`, which is absolute; `others`: the files of Python beside it that it imports.
// `packages` has the folder of the package `rota`, with this library.  Throws UsageError if the file cannot be used.
extern "C" __attribute__((visibility("default"))) const Plugin* rota_python_app_v1(const std::string& file,
                                                                                   const std::string& packages,
                                                                                   std::vector<std::string>& others) {
  start_interpreter(packages);
  const Gil gil;
  try {
    load_numpy();
    return plugin_of_file(file, others);
  } catch (py::error_already_set& error) {
    try {
      throw_error_of(error);
    } catch (const AppFault& fault) {
      throw UsageError(fault.what());
    }
  }
}

PYBIND11_MODULE(_plugin, module) {
  load_numpy();
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    const auto raise = [](const char* name, const char* what) {
      const py::object type = py::module_::import("rota._errors").attr(name);
      PyErr_SetString(type.ptr(), what);
    };
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const DataError& error) {
      raise("DataError", error.what());
    } catch (const UsageError& error) {
      raise("UsageError", error.what());
    } catch (const NoInput& error) {
      raise("NoInput", error.what());
    } catch (const ReadError& error) {
      raise("Error", error.what());
    }
  });
  bind_arguments(module);
  bind_readers(module);
  module.def("plugin_of", &plugin_of, "For rota._rota: a capsule with the Plugin of an app's class or file.");
}

}  // namespace rota::python
