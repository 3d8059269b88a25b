#include "python/plugin/loans.h"

#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#include <numpy/arrayobject.h>

#include <atomic>
#include <cstring>

#include "rota/error.h"

namespace rota::python {

namespace {

thread_local Hook* current_hook = nullptr;
std::atomic<bool> was_kept = false;
PyObject* owner = nullptr;  // the base of all views, so that they cannot be made writable

// Objects in a cycle of references, as the locals of a frame whose exception was kept, are not kept on purpose.
bool is_alone(PyObject* array) {
  if (Py_REFCNT(array) != 1) py::module_::import("gc").attr("collect")();
  return Py_REFCNT(array) == 1;
}

PyObject* checked(PyObject* object) {
  if (object == nullptr) throw py::error_already_set();
  return object;
}
PyArrayObject* as_array(PyObject* object) {
  return reinterpret_cast<PyArrayObject*>(object);
}
PyArrayObject_fields* fields_of(PyObject* object) {
  return reinterpret_cast<PyArrayObject_fields*>(object);
}

template <typename T>
py::object copy_of(std::span<const T> numbers, int type) {
  npy_intp size = static_cast<npy_intp>(numbers.size());
  auto array = py::reinterpret_steal<py::object>(checked(PyArray_SimpleNew(1, &size, type)));
  if (!numbers.empty()) std::memcpy(PyArray_DATA(as_array(array.ptr())), numbers.data(), numbers.size_bytes());
  return array;
}

bool is_plain_type(PyArrayObject* array) {
  const char kind = PyArray_DESCR(array)->kind;
  return (kind == 'f' || kind == 'i' || kind == 'u' || kind == 'b') && PyArray_ITEMSIZE(array) <= 8 &&
         PyArray_ISNOTSWAPPED(array);
}

}  // namespace

void load_numpy() {
  if (owner != nullptr) return;
  if (_import_array() < 0) throw py::error_already_set();
  owner = checked(PyUnicode_FromString("memory of Rota, lent for one call"));
}

Lent::~Lent() {
  if (array_ == nullptr || Py_IsInitialized() == 0) return;
  const Gil gil;
  Py_CLEAR(array_);
}

bool Lent::fits(std::ptrdiff_t rows, std::ptrdiff_t width) const {
  if (array_ == nullptr || Py_REFCNT(array_) != 1) return false;
  const PyArrayObject_fields& is = *fields_of(array_);
  // Whatever a hook may have changed in place.
  if (is.weakreflist != nullptr || is.descr->type_num != NPY_DOUBLE || is.nd != (rows < 0 ? 1 : 2)) return false;
  const bool same_size = is.dimensions[is.nd - 1] == width && (rows < 0 || is.dimensions[0] == rows);
  if (!embedded()) return same_size && PyArray_CHKFLAGS(as_array(array_), NPY_ARRAY_CARRAY | NPY_ARRAY_OWNDATA);
  return is.base == owner && is.strides[is.nd - 1] == 8 && (rows < 0 || same_size);
}

bool Lent::is(std::ptrdiff_t rows, std::ptrdiff_t width) const {
  const PyArrayObject_fields& its = *fields_of(array_);
  return its.nd == (rows < 0 ? 1 : 2) && its.dimensions[its.nd - 1] == width && (rows < 0 || its.dimensions[0] == rows);
}

PyObject* Lent::lend(const double* numbers, std::ptrdiff_t rows, std::ptrdiff_t width, bool writable) {
  // NumPy's type has no const.  Nothing writes through an array that is not writable.
  auto* const data = const_cast<double*>(numbers);
  static double nothing = 0;
  if (!fits(rows, width)) {
    Py_CLEAR(array_);
    npy_intp dims[] = {rows < 0 ? width : rows, width};
    const int nd = rows < 0 ? 1 : 2;
    if (embedded()) {
      array_ = checked(PyArray_New(&PyArray_Type, nd, dims, NPY_DOUBLE, nullptr, width == 0 ? &nothing : data, 0,
                                   NPY_ARRAY_CARRAY, nullptr));
      Py_INCREF(owner);
      PyArray_SetBaseObject(as_array(array_), owner);
    } else {
      array_ = checked(PyArray_SimpleNew(nd, dims, NPY_DOUBLE));
    }
  }
  PyArrayObject_fields& is = *fields_of(array_);
  if (embedded()) {
    is.data = reinterpret_cast<char*>(data == nullptr ? &nothing : data);
    if (rows < 0) is.dimensions[0] = width;
  } else if (data != nullptr) {
    std::memcpy(is.data, data, static_cast<std::size_t>(PyArray_NBYTES(as_array(array_))));
  }
  is.flags = writable ? is.flags | NPY_ARRAY_WRITEABLE : is.flags & ~NPY_ARRAY_WRITEABLE;
  numbers_ = data == nullptr ? &nothing : data;
  writable_ = writable;
  return array_;
}

bool Lent::returned() {
  double* const numbers = std::exchange(numbers_, nullptr);
  if (!embedded() && writable_ && numbers != nullptr)
    std::memcpy(numbers, PyArray_DATA(as_array(array_)), static_cast<std::size_t>(PyArray_NBYTES(as_array(array_))));
  if (!is_alone(array_)) {
    Py_CLEAR(array_);
    return false;
  }
  // A weak reference would find it in a later call.
  if (fields_of(array_)->weakreflist != nullptr) Py_CLEAR(array_);
  if (!embedded() && array_ != nullptr) PyArray_ENABLEFLAGS(as_array(array_), NPY_ARRAY_WRITEABLE);
  return true;
}

void Lent::drop() {
  numbers_ = nullptr;
  Py_CLEAR(array_);
}

Hook::Hook(Pool& pool) : pool_(pool), outer_(current_hook) {
  if (embedded() && was_kept) throw AppFault("another hook has kept a view of its arguments");
  current_hook = this;
}

Hook::~Hook() {
  current_hook = outer_;
  for (Lent* const array : pool_.lent) array->drop();
  pool_.lent.clear();
  pool_.used = 0;
  pool_.known.clear();
}

Hook& Hook::current() {
  if (current_hook == nullptr)
    throw py::type_error("this belongs to the arguments of a hook, and the hook has returned: copy what you keep");
  return *current_hook;
}

py::object Hook::lend(const double* numbers, std::ptrdiff_t rows, std::size_t width, bool writable) {
  Lent* array = nullptr;
  if (!embedded() && width > 0) {
    Lent*& known = pool_.known[numbers];
    if (known != nullptr && !known->is(rows, static_cast<std::ptrdiff_t>(width)))
      throw py::type_error("the same rows are asked for one by one and as a run, in one call");
    if (known != nullptr) return py::reinterpret_borrow<py::object>(known->array());
    if (pool_.used == pool_.arrays.size()) pool_.arrays.emplace_back();
    known = &pool_.arrays[pool_.used];
  }
  if (pool_.used == pool_.arrays.size()) pool_.arrays.emplace_back();
  array = &pool_.arrays[pool_.used++];
  pool_.lent.push_back(array);
  return py::reinterpret_borrow<py::object>(array->lend(numbers, rows, static_cast<std::ptrdiff_t>(width), writable));
}

PyObject* Hook::lend(Lent& through, std::span<const double> numbers, bool writable) {
  PyObject* const array = through.lend(numbers.data(), -1, static_cast<std::ptrdiff_t>(numbers.size()), writable);
  pool_.lent.push_back(&through);
  return array;
}

void Hook::end() {
  bool all = true;
  for (Lent* const array : pool_.lent) all = array->returned() && all;
  pool_.lent.clear();
  pool_.used = 0;
  pool_.known.clear();
  if (!all) throw_kept();
}

void throw_kept() {
  was_kept = true;
  throw AppFault("the hook keeps a view of its arguments after the call: copy what you keep (numpy.array(view))");
}

py::object zeros(std::size_t rows, std::size_t width) {
  npy_intp dims[] = {static_cast<npy_intp>(rows), static_cast<npy_intp>(width)};
  return py::reinterpret_steal<py::object>(checked(PyArray_ZEROS(2, dims, NPY_DOUBLE, 0)));
}

bool is_alone(const py::object& array) {
  return is_alone(array.ptr());
}

py::object array_of(std::span<const double> numbers) {
  return copy_of(numbers, NPY_DOUBLE);
}
py::object array_of(std::span<const std::uint64_t> numbers) {
  return copy_of(numbers, NPY_UINT64);
}
py::object array_of(std::span<const std::int64_t> numbers) {
  return copy_of(numbers, NPY_INT64);
}
py::object array_of(std::span<const std::uint32_t> numbers) {
  return copy_of(numbers, NPY_UINT32);
}

py::object doubles_of(const py::object& numbers) {
  return py::reinterpret_steal<py::object>(checked(PyArray_FROM_OTF(numbers.ptr(), NPY_DOUBLE, NPY_ARRAY_IN_ARRAY)));
}
py::object counts_of(const py::object& numbers) {
  return py::reinterpret_steal<py::object>(
      checked(PyArray_FROM_OTF(numbers.ptr(), NPY_UINT64, NPY_ARRAY_IN_ARRAY | NPY_ARRAY_FORCECAST)));
}

Plain plain_numbers(const py::object& array, const char* what) {
  if (!PyArray_Check(array.ptr()) || !is_plain_type(as_array(array.ptr())) ||
      !PyArray_IS_C_CONTIGUOUS(as_array(array.ptr())))
    throw py::type_error(std::string(what) + " must be a contiguous NumPy array of numbers");
  PyArrayObject* const its = as_array(array.ptr());
  return {static_cast<std::byte*>(PyArray_DATA(its)), static_cast<std::size_t>(PyArray_SIZE(its)),
          static_cast<std::size_t>(PyArray_ITEMSIZE(its))};
}

py::object own_copy(const py::object& array, const char* what) {
  if (!PyArray_Check(array.ptr()) || !is_plain_type(as_array(array.ptr())))
    throw py::type_error(std::string(what) + " must be a NumPy array of numbers");
  return py::reinterpret_steal<py::object>(checked(PyArray_NewCopy(as_array(array.ptr()), NPY_CORDER)));
}

py::object array_like(const py::object& array, std::span<const std::byte> bytes) {
  PyArrayObject* const like = as_array(array.ptr());
  const int nd = PyArray_NDIM(like);
  std::vector<npy_intp> dims(PyArray_DIMS(like), PyArray_DIMS(like) + nd);
  std::size_t row = static_cast<std::size_t>(PyArray_ITEMSIZE(like));
  for (int i = 1; i < nd; ++i) row *= static_cast<std::size_t>(dims[static_cast<std::size_t>(i)]);
  if (nd == 0 ? bytes.size() != row : row == 0 ? !bytes.empty() : bytes.size() % row != 0) return {};
  if (nd > 0 && row > 0) dims[0] = static_cast<npy_intp>(bytes.size() / row);
  Py_INCREF(PyArray_DESCR(like));
  auto made = py::reinterpret_steal<py::object>(
      checked(PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR(like), nd, dims.data(), nullptr, nullptr, 0, nullptr)));
  if (!bytes.empty()) std::memcpy(PyArray_DATA(as_array(made.ptr())), bytes.data(), bytes.size());
  return made;
}

void set_writable(const py::object& array, bool writable) {
  if (writable)
    PyArray_ENABLEFLAGS(as_array(array.ptr()), NPY_ARRAY_WRITEABLE);
  else
    PyArray_CLEARFLAGS(as_array(array.ptr()), NPY_ARRAY_WRITEABLE);
}

}  // namespace rota::python
