// python/module/arrays.h -- NumPy's arrays as data in memory (rota/memory_input.h), without a copy where their types
// fit.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "rota/memory_input.h"

namespace rota::python {

// Arrays that are kept alive, and what is seen of them.  Another type than those of MemoryInput is converted, once.
struct Array {
  MemoryInput input;
  std::vector<pybind11::object> kept;

  std::uint64_t stored() const;  // numbers
};

// A CSR matrix: scipy.sparse's indptr, indices, data and shape.
Array csr_array(const pybind11::object& indptr, const pybind11::object& indices, const pybind11::object& data,
                std::pair<std::uint64_t, std::uint64_t> shape, const pybind11::object& labels,
                const pybind11::object& names);
Array dense_array(const pybind11::object& matrix, const pybind11::object& labels, const pybind11::object& names);
Array number_array(const pybind11::object& numbers);

// Of this process.
MemoryInputs& memory_inputs();

// Arrays under names, for one call.
class NamedArrays {
 public:
  NamedArrays() = default;
  NamedArrays(const NamedArrays&) = delete;
  NamedArrays& operator=(const NamedArrays&) = delete;
  ~NamedArrays();

  // `title`: what messages call it.
  std::string add(const Array& array, std::string title);
  // With titles in place of names.
  std::string shown(std::string text) const;

 private:
  std::vector<std::pair<std::string, std::string>> titles_;  // by name
};

}  // namespace rota::python
