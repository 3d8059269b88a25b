// tests/fuzz/cut.cc -- libFuzzer's door to entry_points.h.
#include <cstdint>

#include "tests/fuzz/entry_points.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rota::fuzz::cut(std::as_bytes(std::span(data, size)));
  return 0;
}
