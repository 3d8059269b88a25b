#include "python/module/arrays.h"

#include <pybind11/stl.h>

#include <optional>
#include <span>

#include "python/module/failure.h"

namespace rota::python {

namespace py = pybind11;

namespace {

template <typename T>
std::span<const T> span_of(const py::array& array) {
  return {static_cast<const T*>(array.data()), static_cast<std::size_t>(array.size())};
}

// Whether its numbers can be seen as they are: of this type, aligned, in this order.
template <typename T>
bool fits(const py::array& array, int order) {
  constexpr int kAligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;
  return py::dtype::of<T>().is(array.dtype()) || py::isinstance<py::array_t<T>>(array)
             ? (array.flags() & order) == order && (array.flags() & kAligned) == kAligned
             : false;
}

py::array array_of(const py::object& object, ssize_t dimensions, const char* what) {
  py::array array = py::array::ensure(object);
  if (!array) throw py::type_error(std::string(what) + ": expected an array of numbers");
  if (array.ndim() != dimensions)
    throw Failure(ExitCode::usage, std::string(what) + ": expected " + std::to_string(dimensions) +
                                       (dimensions == 1 ? " dimension" : " dimensions") + ", found " +
                                       std::to_string(array.ndim()));
  return array;
}

template <typename T>
py::array converted(const py::array& array, const char* what) {
  auto to = py::array_t<T, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!to) throw py::type_error(std::string(what) + ": expected numbers");
  return to;
}

MemoryInput::Indices indices_of(const py::object& object, const char* what, Array& to) {
  py::array array = array_of(object, 1, what);
  if (array.dtype().kind() != 'i' && array.dtype().kind() != 'u')
    throw py::type_error(std::string(what) + ": expected whole numbers");
  if (fits<std::int32_t>(array, py::array::c_style)) {
    to.kept.push_back(array);
    return span_of<std::int32_t>(array);
  }
  if (!fits<std::int64_t>(array, py::array::c_style)) array = converted<std::int64_t>(array, what);
  to.kept.push_back(array);
  return span_of<std::int64_t>(array);
}

std::span<const double> numbers_of(const py::object& object, const char* what, Array& to) {
  py::array array = array_of(object, 1, what);
  if (!fits<double>(array, py::array::c_style)) array = converted<double>(array, what);
  to.kept.push_back(array);
  return span_of<double>(array);
}

void add_labels_and_names(const py::object& labels, const py::object& names, Array& to) {
  if (!labels.is_none()) {
    to.input.labels = numbers_of(labels, "labels", to);
    if (to.input.labels.size() != to.input.rows)
      throw Failure(ExitCode::bad_data, "expected a label for each of the " + std::to_string(to.input.rows) +
                                            " rows, found " + std::to_string(to.input.labels.size()));
  }
  if (!names.is_none()) {
    to.input.names = names.cast<std::vector<std::string>>();
    if (to.input.names.size() != to.input.columns)
      throw Failure(ExitCode::bad_data, "expected a name for each of the " + std::to_string(to.input.columns) +
                                            " columns, found " + std::to_string(to.input.names.size()));
  }
}

}  // namespace

std::uint64_t Array::stored() const {
  return std::visit([](auto values) { return std::uint64_t{values.size()}; }, input.values);
}

Array csr_array(const py::object& indptr, const py::object& indices, const py::object& data,
                std::pair<std::uint64_t, std::uint64_t> shape, const py::object& labels, const py::object& names) {
  Array to;
  to.input.dense = false;
  to.input.rows = shape.first;
  to.input.columns = shape.second;
  to.input.begins = indices_of(indptr, "indptr", to);
  to.input.column = indices_of(indices, "indices", to);
  py::array values = array_of(data, 1, "data");
  if (fits<float>(values, py::array::c_style)) {
    to.input.values = span_of<float>(values);
  } else {
    if (!fits<double>(values, py::array::c_style)) values = converted<double>(values, "data");
    to.input.values = span_of<double>(values);
  }
  to.kept.push_back(values);
  add_labels_and_names(labels, names, to);
  return to;
}

Array dense_array(const py::object& matrix, const py::object& labels, const py::object& names) {
  Array to;
  py::array values = array_of(matrix, 2, "matrix");
  to.input.rows = static_cast<std::uint64_t>(values.shape(0));
  to.input.columns = static_cast<std::uint64_t>(values.shape(1));
  bool by_columns = false;
  const auto see = [&]<typename T>(T) {
    const bool rows = fits<T>(values, py::array::c_style);
    by_columns = !rows && fits<T>(values, py::array::f_style);
    if (rows || by_columns) to.input.values = span_of<T>(values);
    return rows || by_columns;
  };
  if (!see(double{}) && !see(float{})) {
    values = converted<double>(values, "matrix");
    see(double{});
  }
  to.kept.push_back(values);
  to.input.row_stride = by_columns ? 1 : to.input.columns;
  to.input.column_stride = by_columns ? to.input.rows : 1;
  add_labels_and_names(labels, names, to);
  return to;
}

Array number_array(const py::object& numbers) {
  Array to;
  const std::span<const double> seen = numbers_of(numbers, "numbers", to);
  to.input.values = seen;
  to.input.rows = seen.size();
  to.input.columns = 1;
  return to;
}

MemoryInputs& memory_inputs() {
  static auto* const inputs = new MemoryInputs;  // threads may still read when the process ends
  return *inputs;
}

NamedArrays::~NamedArrays() {
  for (const auto& [name, title] : titles_) memory_inputs().remove(name);
}

std::string NamedArrays::add(const Array& array, std::string title) {
  titles_.emplace_back(memory_inputs().put(array.input), std::move(title));
  return titles_.back().first;
}

std::string NamedArrays::shown(std::string text) const {
  for (auto one = titles_.rbegin(); one != titles_.rend(); ++one)  // memory:12 before memory:1
    for (std::size_t at = 0; (at = text.find(one->first, at)) != text.npos; at += one->second.size())
      text.replace(at, one->first.size(), one->second);
  return text;
}

}  // namespace rota::python
