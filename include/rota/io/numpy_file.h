// rota/io/numpy_file.h -- arrays as NumPy saves them (.npy), and sparse matrices as SciPy does (.npz of CSR).
//
// Formats: NumPy's "NEP 1, a simple file format for NumPy arrays", versions 1 to 3; scipy.sparse.save_npz.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rota/io/sparse_matrix.h"

namespace rota::io {

struct NumberArray {
  std::vector<std::uint64_t> shape;
  std::vector<double> numbers;  // in the order of the last index, whatever the order in the file
};

// Of whole numbers, floats or bools, little-endian.  Throws NoInput or DataError.
NumberArray read_npy(const std::string& path);

// The columns of its rows ascend.  Throws NoInput or DataError, also for another sparse format than CSR.
SparseMatrix read_npz(const std::string& path);

}  // namespace rota::io
