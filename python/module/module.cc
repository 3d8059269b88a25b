// python/module/module.cc -- rota._rota: what the estimators of python/rota are made of.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <sstream>

#include "cli/folders/text_form.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/version.h"
#include "core/checkpoint/model_reader.h"
#include "core/job/input_files.h"
#include "core/job/plugin_host.h"
#include "python/module/arrays.h"
#include "python/module/failure.h"
#include "python/module/memory_model.h"
#include "python/module/packing.h"
#include "python/module/training.h"

namespace rota::python {

namespace py = pybind11;
namespace fs = std::filesystem;

namespace {

using Texts = std::map<std::string, std::string>;

// ---- apps

fs::path plugin_folder() {
  const auto file = py::module_::import("rota._rota").attr("__file__").cast<std::string>();
  const fs::path package = fs::path(file).parent_path();
  std::error_code error;
  for (const fs::path& folder : {package / "lib/rota/plugins", package / "../../lib/rota/plugins"})
    if (fs::is_directory(folder, error)) return folder;
  return {};  // where plugins are installed
}

// Of a name, a path, or a class of Python's (rota._plugin).  It stays for ever.
const Plugin& plugin_of(const py::object& app) {
  static auto* const opened = new std::map<std::string, const Plugin*>;  // under the interpreter's lock
  const bool named = py::isinstance<py::str>(app);
  const auto name = named ? app.cast<std::string>() : std::string();
  const Plugin* plugin = nullptr;
  if (!named || name.ends_with(".py")) {
    const py::object capsule = py::module_::import("rota._plugin").attr("plugin_of")(app);
    plugin = static_cast<const Plugin*>(PyCapsule_GetPointer(capsule.ptr(), "rota::Plugin"));
    if (plugin == nullptr) throw py::error_already_set();
  } else if (const auto found = opened->find(name); found != opened->end()) {
    plugin = found->second;
  } else {
    plugin = (*opened)[name] = must(find_plugin(name, plugin_folder()));
  }
  plugin->memory->store(&memory_inputs());
  return *plugin;
}

// ---- trainings that the interpreter must wait for before it ends

std::mutex running_mutex;
std::condition_variable running_changed;
int running = 0;
std::atomic<bool> ending = false;

class Running {
 public:
  Running() { add(1); }
  ~Running() { add(-1); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  static void add(int change) {
    const std::lock_guard lock(running_mutex);
    running += change;
    running_changed.notify_all();
  }
};

// Threads that train would need an interpreter that is not there any more.
void end_trainings() {
  ending = true;
  const py::gil_scoped_release unlocked;
  std::unique_lock lock(running_mutex);
  running_changed.wait(lock, [] { return running == 0; });
}

// Called without the interpreter's lock.
class Observer final : public Watcher {
 public:
  explicit Observer(py::object progress) : progress_(std::move(progress)) {
    const py::object threading = py::module_::import("threading");
    is_main_ = threading.attr("current_thread")().is(threading.attr("main_thread")());
  }

  void breathe() override {
    if (ending) throw Failure(ExitCode::temporary, "the interpreter ends");
    constexpr Nanoseconds kBetween = 50 * kMillisecond;
    if (!is_main_ || now_ns() - looked_ < kBetween) return;
    look();
  }
  void evaluated(const Evaluation& now) override {
    if (progress_.is_none() && !is_main_) return;
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!progress_.is_none()) progress_(now.epoch, now.items, now.seconds, scores_of(now));
  }

  void warned(const std::string& text) override {
    const py::gil_scoped_acquire locked;
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw py::error_already_set();
  }

  static py::dict scores_of(const Evaluation& now) {
    py::dict scores;
    scores["objective"] = now.objective;
    if (now.per_item) scores["per_item"] = *now.per_item;
    if (now.valid) scores["valid"] = *now.valid;
    for (const auto& [name, value] : now.terms) scores[py::str(name)] = value;
    return scores;
  }

 private:
  void look() {
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    looked_ = now_ns();
  }

  py::object progress_;
  bool is_main_ = false;
  Nanoseconds looked_ = now_ns();
};

// ---- arguments

std::vector<std::string> names_of(const py::list& data, const std::string& title, NamedArrays& arrays) {
  std::vector<std::string> names;
  for (const py::handle one : data) {
    const std::string its = data.size() == 1 ? title : title + "[" + std::to_string(names.size()) + "]";
    names.push_back(py::isinstance<Array>(one) ? arrays.add(one.cast<const Array&>(), its) : one.cast<std::string>());
  }
  return names;
}

// What files the names stand for; data in memory stands for itself.
std::vector<std::string> files_of(const std::vector<std::string>& names, bool of_job) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    if (is_memory_name(name)) {
      files.push_back(name);
      continue;
    }
    for (std::string& file : must(of_job ? data_files(name) : input_files(name))) files.push_back(std::move(file));
  }
  return files;
}

Texts texts_of(const py::dict& options, const py::dict& numbers, NamedArrays& arrays) {
  Texts texts;
  for (const py::dict& given : {options, numbers})
    for (const auto& [key, value] : given) {
      const auto name = key.cast<std::string>();
      texts[name] =
          py::isinstance<Array>(value) ? arrays.add(value.cast<const Array&>(), name) : value.cast<std::string>();
    }
  return texts;
}

// Calls f without the interpreter's lock.  Messages of a Failure have the arrays' titles.
template <typename F>
auto unlocked(const NamedArrays& arrays, F f) {
  const Running one;
  const py::gil_scoped_release released;
  try {
    return f();
  } catch (const Failure& failure) {
    throw Failure(failure.code(), arrays.shown(failure.what()));
  }
}

// A hook that is no training.  An exception of an app in Python stays as it is.
template <typename F>
void call(const Plugin& plugin, std::string_view hook, F f) {
  try {
    f();
  } catch (const py::error_already_set&) {
    throw;
  } catch (...) {
    must(hook_failed(plugin.name, hook, ""));
  }
}

// ---- models

class TrainedModel {
 public:
  TrainedModel(py::object app, const Plugin& plugin, MemoryModel model)
      : app_(std::move(app)), plugin_(&plugin), model_(std::make_shared<const MemoryModel>(std::move(model))) {}

  const py::object& app() const { return app_; }
  const MemoryModel& model() const { return *model_; }
  std::shared_ptr<const Model> shared() const { return model_; }
  const Outcome& outcome() const { return model_->outcome; }

  py::dict options() const {
    py::dict options;
    for (const auto& [name, value] : model_->job().options.all()) options[py::str(name)] = value;
    return options;
  }
  py::list history() const {
    py::list history;
    for (const Evaluation& one : outcome().history) history.append(dict_of(one));
    return history;
  }
  py::dict scores() const {
    return outcome().history.empty() ? py::dict() : Observer::scores_of(outcome().history.back());
  }
  py::dict facts() const {
    py::dict facts;
    for (const Fact& fact : model_->facts().all())
      facts[py::str(fact.name)] =
          fact.values.size() == 1
              ? py::object(py::float_(fact.values[0]))
              : py::object(py::array_t<double>(static_cast<py::ssize_t>(fact.values.size()), fact.values.data()));
    return facts;
  }

  // The keys of a shared table's committed rows, and the rows.
  py::tuple table(const std::string& name) const {
    std::vector<Table> tables;
    call(*plugin_, "tables", [&] { tables = plugin_->app(model_->job())->tables(model_->facts()); });
    const auto found = std::ranges::find(tables, name, &Table::name);
    if (found == tables.end() || found->kind != Table::Kind::shared)
      throw py::key_error("the app " + std::string(plugin_->name) + " has no shared table " + name);
    const MemoryModel::Rows& rows = model_->rows(static_cast<TableId>(found - tables.begin()));
    if (rows.numbers.size() != rows.keys.size() * found->row_width)
      throw Failure(ExitCode::wrong_version, "the table " + name + " is of another version of the app " +
                                                 std::string(plugin_->name) + ": train the model again");
    const auto count = static_cast<py::ssize_t>(rows.keys.size());
    return py::make_tuple(
        py::array_t<std::uint64_t>(count, rows.keys.data()),
        py::array_t<double>({count, static_cast<py::ssize_t>(found->row_width)}, rows.numbers.data()));
  }

  void export_text(const std::string& folder) const {
    std::error_code error;
    if (fs::exists(folder, error) && !fs::is_empty(folder, error))
      throw Failure(ExitCode::cannot_write, folder + ": not an empty folder");
    const py::gil_scoped_release released;
    must(make_folder(folder));
    must(write_text_form(*plugin_, *model_, folder));
  }

  py::str command(const std::string& name, const py::dict& options, const py::list& input) const {
    const auto command = std::ranges::find(plugin_->commands, name, &Command::name);
    if (command == plugin_->commands.end())
      throw Failure(ExitCode::usage, "the app " + std::string(plugin_->name) + " has no command '" + name + "'");
    NamedArrays arrays;
    const Texts given = texts_of(options, {}, arrays);
    const std::vector<std::string> names = names_of(input, "X", arrays);
    std::ostringstream out;
    unlocked(arrays, [&] {
      const Options checked = checked_options(command->options, given);
      const std::vector<std::string> files = files_of(names, false);
      call(*plugin_, name, [&] { command->run({model_.get(), checked, files}, out); });
    });
    return out.str();
  }

  py::bytes to_bytes() const {
    const std::vector<std::byte> bytes = model_->to_bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  static py::dict dict_of(const std::vector<std::pair<std::string, double>>& named) {
    py::dict dict;
    for (const auto& [name, value] : named) dict[py::str(name)] = value;
    return dict;
  }
  static py::dict dict_of(const Evaluation& one) {
    py::dict dict;
    dict["epoch"] = one.epoch;
    dict["seconds"] = one.seconds;
    dict["items"] = one.items;
    dict["objective"] = one.objective;
    if (one.per_item) dict["per_item"] = *one.per_item;
    if (one.valid) dict["valid"] = *one.valid;
    dict["terms"] = dict_of(one.terms);
    if (!one.figures.empty()) dict["schedule"] = dict_of(one.figures);
    if (one.converged) dict["converged"] = *one.converged;
    return dict;
  }

  py::object app_;
  const Plugin* plugin_;
  std::shared_ptr<const MemoryModel> model_;
};

// ---- functions

TrainedModel fit(const py::object& app, const py::dict& options, const py::list& input, const py::list& valid,
                 const py::dict& numbers, const py::object& progress, const TrainedModel* initial) {
  const Plugin& plugin = plugin_of(app);
  NamedArrays arrays;
  Request request{.plugin = plugin, .options = texts_of(options, numbers, arrays), .input = {}, .valid = {}};
  request.input = names_of(input, "X", arrays);
  request.valid = names_of(valid, "valid", arrays);
  if (initial != nullptr) request.initial = initial->shared();
  Observer observer(progress);
  MemoryModel model = unlocked(arrays, [&] {
    request.input = files_of(request.input, true);
    request.valid = files_of(request.valid, true);
    return train(request, observer);
  });
  return {app, plugin, std::move(model)};
}

TrainedModel load_model(const std::string& folder, py::object app) {
  const Plugin* plugin = nullptr;
  if (app.is_none()) app = py::str(must(app_of_model(folder)));
  plugin = &plugin_of(app);
  must(check_app(*plugin, folder));
  MemoryModel model = [&] {
    const py::gil_scoped_release released;
    const std::unique_ptr<Model> stored = must(open_model(folder, *plugin));
    std::vector<Table> tables;
    call(*plugin, "tables", [&] { tables = plugin->app(stored->job())->tables(stored->facts()); });
    MemoryModel copy(*stored, tables);
    if (const auto hash = hash_of_model(folder); hash.ok()) copy.outcome.model_hash = *hash;
    copy.outcome.epochs = stored->epoch();
    return copy;
  }();
  return {app, *plugin, std::move(model)};
}

TrainedModel from_bytes(const py::bytes& bytes, py::object app) {
  const std::string_view view = bytes;
  MemoryModel model = MemoryModel::from_bytes(std::as_bytes(std::span(view)));
  if (app.is_none()) app = py::str(std::string(model.job().options.text("app")));
  const Plugin& plugin = plugin_of(app);
  if (model.job().options.text("app") != plugin.name)
    throw Failure(ExitCode::bad_data, "the model was made by the app " + std::string(model.job().options.text("app")) +
                                          ", and this is the app " + std::string(plugin.name));
  return {app, plugin, std::move(model)};
}

void pack(const py::object& app, const py::dict& options, const py::list& input, const py::list& valid,
          const py::dict& numbers, const std::string& folder) {
  const Plugin& plugin = plugin_of(app);
  if (plugin.packed_format == 0)
    throw Failure(ExitCode::usage, "the app " + std::string(plugin.name) + " has no data by shard");
  NamedArrays arrays;
  const Texts given = texts_of(options, numbers, arrays);
  const std::vector<std::string> inputs = names_of(input, "X", arrays), valids = names_of(valid, "valid", arrays);
  unlocked(arrays, [&] { pack_data(plugin, given, files_of(inputs, true), files_of(valids, true), folder); });
}

py::list option_list(const py::object& app) {
  const Plugin& plugin = plugin_of(app);
  constexpr const char* kKinds[] = {"integer", "real", "text", "flag", "choice", "path"};
  py::list all;
  for (const Option& option : plugin.options) {
    py::dict one;
    one["name"] = std::string(option.name);
    one["kind"] = kKinds[static_cast<int>(option.kind)];
    one["default"] = std::string(option.default_value);
    one["unit"] = std::string(option.unit);
    one["meaning"] = std::string(option.meaning);
    one["least"] = option.least;
    one["most"] = option.most;
    all.append(one);
  }
  return all;
}

void set_error(const py::module_& errors, ExitCode code, const std::string& what) {
  const char* const name = code == ExitCode::bad_data   ? "DataError"
                           : code == ExitCode::usage    ? "UsageError"
                           : code == ExitCode::no_input ? "NoInput"
                                                        : "Error";
  const py::object type = errors.attr(name);
  const py::object error = type(what, py::arg("exit_code") = static_cast<int>(code));
  PyErr_SetObject(type.ptr(), error.ptr());
}

void define_arrays(py::module_& module) {
  py::class_<Array> array(module, "_Array");
  array
      .def_property_readonly("shape",
                             [](const Array& one) { return py::make_tuple(one.input.rows, one.input.columns); })
      .def_property_readonly("nnz", &Array::stored);
  struct Rows : Array {};
  struct Dense : Array {};
  struct Numbers : Array {};
  py::class_<Rows, Array>(module, "Rows")
      .def(py::init(
               [](const py::object& indptr, const py::object& indices, const py::object& data,
                  std::pair<std::uint64_t, std::uint64_t> shape, const py::object& labels,
                  const py::object& names) { return Rows{csr_array(indptr, indices, data, shape, labels, names)}; }),
           py::arg("indptr"), py::arg("indices"), py::arg("data"), py::arg("shape"), py::arg("labels") = py::none(),
           py::arg("names") = py::none());
  py::class_<Dense, Array>(module, "Dense")
      .def(py::init([](const py::object& matrix, const py::object& labels, const py::object& names) {
             return Dense{dense_array(matrix, labels, names)};
           }),
           py::arg("matrix"), py::arg("labels") = py::none(), py::arg("names") = py::none());
  py::class_<Numbers, Array>(module, "Numbers")
      .def(py::init([](const py::object& numbers) { return Numbers{number_array(numbers)}; }), py::arg("numbers"));
}

void define_model(py::module_& module) {
  py::class_<TrainedModel>(module, "Model")
      .def_property_readonly("app", &TrainedModel::app)
      .def_property_readonly("model_hash", [](const TrainedModel& one) { return one.outcome().model_hash; })
      .def_property_readonly("epochs", [](const TrainedModel& one) { return one.outcome().epochs; })
      .def_property_readonly("epoch", [](const TrainedModel& one) { return one.model().epoch(); })
      .def_property_readonly("converged", [](const TrainedModel& one) { return one.outcome().converged; })
      .def_property_readonly("options", &TrainedModel::options)
      .def_property_readonly("history", &TrainedModel::history)
      .def_property_readonly("scores", &TrainedModel::scores)
      .def_property_readonly("facts", &TrainedModel::facts)
      .def("table", &TrainedModel::table, py::arg("name"))
      .def("export_text", &TrainedModel::export_text, py::arg("folder"))
      .def("command", &TrainedModel::command, py::arg("name"), py::arg("options") = py::dict(),
           py::arg("input") = py::list())
      .def("to_bytes", &TrainedModel::to_bytes)
      .def_static("from_bytes", &from_bytes, py::arg("bytes"), py::arg("app") = py::none())
      .def(py::pickle([](const TrainedModel& one) { return py::make_tuple(one.to_bytes(), one.app()); },
                      [](const py::tuple& state) {
                        if (state.size() != 2) throw Failure(ExitCode::bad_data, "these are not the parts of a model");
                        return from_bytes(state[0].cast<py::bytes>(), state[1]);
                      }));
}

}  // namespace

PYBIND11_MODULE(_rota, module) {
  module.doc() = "Rota's core: apps, trainings in this process, models.";
  module.attr("version") = kVersion;
  const py::module_ errors = py::module_::import("rota._errors");
  for (const char* const name : {"Error", "DataError", "UsageError", "NoInput"}) module.attr(name) = errors.attr(name);
  py::register_exception_translator([](std::exception_ptr thrown) {
    const auto types = py::module_::import("rota._errors");
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      set_error(types, failure.code(), failure.what());
    } catch (const DataError& error) {
      set_error(types, ExitCode::bad_data, error.what());
    } catch (const UsageError& error) {
      set_error(types, ExitCode::usage, error.what());
    } catch (const NoInput& error) {
      set_error(types, ExitCode::no_input, error.what());
    }
  });
  py::module_::import("atexit").attr("register")(py::cpp_function(end_trainings));

  define_arrays(module);
  define_model(module);
  module.def("fit", &fit, py::arg("app"), py::arg("options"), py::arg("input"), py::arg("valid") = py::list(),
             py::arg("numbers") = py::dict(), py::arg("progress") = py::none(), py::arg("initial") = nullptr);
  module.def("load_model", &load_model, py::arg("folder"), py::arg("app") = py::none());
  module.def("pack", &pack, py::arg("app"), py::arg("options"), py::arg("input"), py::arg("valid") = py::list(),
             py::arg("numbers") = py::dict(), py::arg("folder"));
  module.def("options", &option_list, py::arg("app"));
  module.def("apps", [] { return available_apps(plugin_folder()); });
}

}  // namespace rota::python
