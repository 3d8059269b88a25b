// tests/fuzz/libsvm.cc -- libFuzzer's door to reader_entry_points.h.
#include <cstdint>

#include "tests/fuzz/reader_entry_points.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rota::fuzz::libsvm(std::as_bytes(std::span(data, size)));
  return 0;
}
