// apps/io/matrix_format.cc
#include "rota/io/matrix_format.h"

#include "rota/error.h"
#include "rota/io/byte_source.h"

namespace rota::io {

MatrixFormat matrix_format(std::string_view name) {
  if (name == "libsvm") return MatrixFormat::libsvm;
  if (name == "matrix_market") return MatrixFormat::matrix_market;
  return MatrixFormat::automatic;
}

MatrixFormat matrix_format_of(const std::string& path) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf", kBanner = "%%MatrixMarket";
  char first[kByteOrderMark.size() + kBanner.size()];
  std::size_t used = 0;
  try {
    const auto source = open_bytes(path);
    while (used < sizeof first) {
      const std::size_t got = source->read(first + used, sizeof first - used);
      if (got == 0) break;
      used += got;
    }
  } catch (const BrokenBytes& broken) {
    throw DataError(path, 0, broken.what());
  }
  std::string_view bytes(first, used);
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  return bytes.starts_with(kBanner) ? MatrixFormat::matrix_market : MatrixFormat::libsvm;
}

}  // namespace rota::io
