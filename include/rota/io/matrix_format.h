// rota/io/matrix_format.h -- the format of a file with a matrix.
#pragma once
#include <string>
#include <string_view>

namespace rota::io {

enum class MatrixFormat { automatic, libsvm, matrix_market };

// "auto", "libsvm" or "matrix_market".
MatrixFormat matrix_format(std::string_view name);

// Decided by the first bytes of the file: matrix_market if they are its banner, else libsvm.  Throws NoInput, or
// DataError if the file is empty or not what its name claims (byte_source.h).
MatrixFormat matrix_format_of(const std::string& path);

}  // namespace rota::io
