// tests/fuzz/matrix_market.cc -- libFuzzer's door to reader_entry_points.h.
#include <cstdint>

#include "tests/fuzz/reader_entry_points.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rota::fuzz::matrix_market(std::as_bytes(std::span(data, size)));
  return 0;
}
