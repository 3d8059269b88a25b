// tests/fuzz/flags.cc -- libFuzzer's door to file_entry_points.h.
#include <cstdint>

#include "tests/fuzz/file_entry_points.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rota::fuzz::flags(std::as_bytes(std::span(data, size)));
  return 0;
}
