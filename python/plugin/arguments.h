// python/plugin/arguments.h -- what hooks of Python are given: objects that refer to arguments of C++ until the hook
// returns, and raise afterwards.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "python/plugin/loans.h"
#include "rota/plugin.h"

namespace rota::python {

// Refers to an argument for the time of one call.
template <typename T>
class Lend {
 public:
  Lend(T*& at, T* to) : at_(at) { at_ = to; }
  ~Lend() { at_ = nullptr; }
  Lend(const Lend&) = delete;
  Lend& operator=(const Lend&) = delete;

 private:
  T*& at_;
};
template <typename T>
T& alive(T* argument) {
  if (argument == nullptr)
    throw py::type_error("this is an argument of a hook, and the hook has returned: copy what you keep");
  return *argument;
}

struct PyRandom {
  Random* at = nullptr;
  std::optional<Random> own = std::nullopt;  // of an object that Python made

  Random& get() { return own ? *own : alive(at); }
};

struct PyTerms {
  const Terms* at = nullptr;
};

struct PyFacts {
  const Facts* at = nullptr;
  Facts* to = nullptr;  // null: to be read only
};

// A view of a dense table, as long as its shard lives.
struct PyTable {
  TableView view;
  std::shared_ptr<const bool> owner_alive;
  Lent array = {};
  std::uint64_t version = 0;

  py::object numbers();
};

// The parts of a task.
struct PyParts {
  const SharedTask* at = nullptr;
  // In a Python process: the parts of all rows in an array of Python's, and the rows that were asked for.
  py::object shadow = {};
  double* begin = nullptr;
  std::set<Key> touched = {};

  py::object part(Key key);
  py::object run(Key first, Key count);
  // After the call: copies from the shadow.  Throws AppFault if a part was kept.
  void take_back();
};

struct PySharedTask {
  const SharedTask* at = nullptr;
  PyParts parts = {};
};

struct PySliceTask {
  const SliceTask* at = nullptr;
};

struct PyCommit {
  const Commit* at = nullptr;
};

struct PyPullTask {
  const PullTask* at = nullptr;
};

struct PyModel {
  const Model* at = nullptr;
  py::object options = {};
};

// A number, or several, as a Round's argument; None is the empty one.
Argument argument_of(const py::object& value);
py::object object_of(const Argument& argument);

void bind_arguments(py::module_& module);
void bind_readers(py::module_& module);

}  // namespace rota::python
