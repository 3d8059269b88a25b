// Runs the entry point that ROTA_FUZZ_ENTRY names under libFuzzer.
#include <cstdint>

#include "tests/fuzz/entry_points.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rota::fuzz::ROTA_FUZZ_ENTRY(std::as_bytes(std::span(data, size)));
  return 0;
}
