// rota/io/numpy_file.h -- arrays as NumPy saves them (.npy), and sparse matrices as SciPy does (.npz of CSR).
//
// Formats: NumPy's "NEP 1, a simple file format for NumPy arrays", versions 1 to 3; scipy.sparse.save_npz.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace rota::io {

struct NumberArray {
  std::vector<std::uint64_t> shape;
  std::vector<double> numbers;  // in the order of the last index, whatever the order in the file
};

// Of whole numbers, floats or bools, little-endian.  Throws NoInput or DataError.
NumberArray read_npy(const std::string& path);

// Rows one after the other: those of row r are [begins[r], begins[r + 1]).
struct SparseMatrix {
  std::uint64_t rows = 0, columns = 0;
  std::vector<std::uint64_t> begins;  // rows + 1 of them
  std::vector<std::uint32_t> column;  // of each entry, from 0; ascending in a row, each once
  std::vector<double> values;
};

// Throws NoInput or DataError, also for another sparse format than CSR.
SparseMatrix read_npz(const std::string& path);

}  // namespace rota::io
