// io/matrix_format.cc
#include "rota/io/matrix_format.h"

#include "rota/error.h"
#include "rota/io/text_file.h"

namespace rota::io {

MatrixFormat matrix_format(std::string_view name) {
  if (name == "libsvm") return MatrixFormat::libsvm;
  if (name == "matrix_market") return MatrixFormat::matrix_market;
  return MatrixFormat::automatic;
}

MatrixFormat matrix_format_of(const std::string& path) {
  try {
    LineBlocks blocks(open_bytes(path));
    std::string_view first;
    return blocks.next(first) && first.starts_with("%%MatrixMarket") ? MatrixFormat::matrix_market
                                                                     : MatrixFormat::libsvm;
  } catch (const BrokenBytes& broken) {
    throw DataError(path, 0, broken.what());
  }
}

}  // namespace rota::io
