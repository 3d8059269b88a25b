// python/plugin/interpreter.h -- the Python interpreter of this process, and what its exceptions mean to Rota.
//
// In a program of Rota the interpreter is started here, once, and never finalised: the process ends with threads and
// objects of hooks in place.  In a Python process it is that process's own.
#pragma once
#include <pybind11/pybind11.h>

#include <string>

namespace rota::python {
namespace py = pybind11;

// Starts it, unless there is one.  `packages` has the folder of the package `rota`.  Throws std::runtime_error.
void start_interpreter(const std::string& packages);
// Whether it was started here.
bool embedded();

// The right to use Python in this thread.  A thread of C++ keeps its thread state from the first time on until it ends:
// to make one for each call takes 500 times as long as the call.
class Gil {
 public:
  Gil();
  ~Gil() { PyGILState_Release(state_); }
  Gil(const Gil&) = delete;
  Gil& operator=(const Gil&) = delete;

 private:
  PyGILState_STATE state_;
};

// A reference that may be dropped in any thread.
class Held {
 public:
  Held() = default;
  explicit Held(py::object object) : object_(std::move(object)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    const py::handle its = object_.release();
    if (!its || Py_IsInitialized() == 0) return;
    const Gil gil;
    its.dec_ref();
  }

  void set(py::object object) { object_ = std::move(object); }
  const py::object& get() const { return object_; }
  explicit operator bool() const { return static_cast<bool>(object_); }

 private:
  py::object object_;
};

// Throws what a hook throws for this exception of Python: DataError, UsageError and NoInput for those of the package
// rota, and AppFault with the traceback for all others.  In a Python process the exception itself goes on.
[[noreturn]] void throw_error_of(py::error_already_set& error);
[[noreturn]] void throw_error_of(const py::builtin_exception& error);

}  // namespace rota::python
