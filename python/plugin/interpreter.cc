#include "python/plugin/interpreter.h"

#include <cstdlib>
#include <new>
#include <stdexcept>

#include "rota/error.h"

namespace rota::python {

namespace {

bool started_here = false;

void check(PyStatus status, PyConfig& config) {
  if (PyStatus_Exception(status) == 0) return;
  const std::string why = status.err_msg == nullptr ? "no reason is given" : status.err_msg;
  PyConfig_Clear(&config);
  throw std::runtime_error("Python cannot be started: " + why);
}

// Made in a thread's first hook.
class ThreadState {
 public:
  ThreadState() : first_(PyGILState_Ensure()), state_(PyEval_SaveThread()) {}
  ~ThreadState() {
    if (Py_IsInitialized() == 0) return;
    PyEval_RestoreThread(state_);
    PyGILState_Release(first_);
  }
  ThreadState(const ThreadState&) = delete;
  ThreadState& operator=(const ThreadState&) = delete;

 private:
  PyGILState_STATE first_;
  PyThreadState* state_;
};

}  // namespace

void start_interpreter(const std::string& packages) {
  if (Py_IsInitialized() != 0) return;
  // Sums whose order depends on the number of threads would make the model depend on the machine; and each process has
  // its own threads already.
  for (const char* const name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"}) ::setenv(name, "1", 0);
  PyPreConfig before;
  PyPreConfig_InitPythonConfig(&before);
  before.utf8_mode = 1;
  before.configure_locale = 0;
  if (PyStatus_Exception(Py_PreInitialize(&before)) != 0) throw std::runtime_error("Python cannot be started");
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;  // they are Rota's
  config.write_bytecode = 0;           // nothing is written beside the user's files
  config.parse_argv = 0;
  // By its name Python finds its modules; the first "python3" of the PATH may be another one.
  check(PyConfig_SetBytesString(&config, &config.program_name, ROTA_PYTHON_PROGRAM), config);
  check(Py_InitializeFromConfig(&config), config);
  PyConfig_Clear(&config);
  started_here = true;
  try {
    const py::module_ sys = py::module_::import("sys");
    sys.attr("path").attr("insert")(0, packages);
    sys.attr("stdout") = sys.attr("stderr");  // the log of a process; and output of commands is for programs
  } catch (...) {
    PyEval_SaveThread();
    throw;
  }
  PyEval_SaveThread();
}

bool embedded() {
  return started_here;
}

Gil::Gil() {
  if (PyGILState_GetThisThreadState() == nullptr) static thread_local const ThreadState state;
  state_ = PyGILState_Ensure();
}

void throw_error_of(py::error_already_set& error) {
  if (!embedded()) throw;
  if (error.matches(PyExc_MemoryError)) throw std::bad_alloc();
  std::string text, summary, place, traceback;
  int code = 0;
  try {
    const py::object value = error.value();
    if (error.trace()) PyException_SetTraceback(value.ptr(), error.trace().ptr());
    const py::module_ package = py::module_::import("rota.plugin");
    const py::tuple report = package.attr("_report")(value);
    summary = report[0].cast<std::string>();
    place = report[1].cast<std::string>();
    traceback = report[2].cast<std::string>();
    text = py::str(value).cast<std::string>();
    if (py::isinstance(value, package.attr("Error"))) code = value.attr("exit_code").cast<int>();
  } catch (py::error_already_set& other) {
    throw AppFault(std::string("an exception that cannot be shown: ") + other.what());
  }
  switch (code) {
    case 65:
      throw DataError(text);
    case 2:
      throw UsageError(text);
    case 66:
      throw NoInput(text);
    default:
      throw AppFault(summary + (place.empty() ? "" : " (" + place + ")") + "\n" + traceback);
  }
}

void throw_error_of(const py::builtin_exception& error) {
  if (embedded()) throw AppFault(error.what());
  error.set_error();
  throw py::error_already_set();
}

}  // namespace rota::python
