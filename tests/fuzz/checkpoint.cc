// tests/fuzz/checkpoint.cc -- the libFuzzer target for checkpoint() of entry_points.h.
//
// Debian's RocksDB is built with assertions, some of which check the content of a file: a block of properties is read
// before its checksum is checked (DataBlockHashIndex::Initialize, "num_buckets_ > 0").  Only files with the hash in the
// commit record or manifest get there (newest_commit.h, model_reader.h); an attacker who forges both can end the
// program (SECURITY.md).  Here such an end counts as a refusal, so that the fuzzer looks for others.
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/fuzz/entry_points.h"

namespace {

std::jmp_buf refused;

}  // namespace

// In place of the C library's, for RocksDB.
extern "C" [[noreturn]] void __assert_fail(const char* what, const char* file, unsigned line, const char*) noexcept {
  if (std::strncmp(file, "./", 2) == 0) std::longjmp(refused, 1);  // as its sources are named there
  std::fprintf(stderr, "%s:%u: %s\n", file, line, what);
  std::abort();
}

// What RocksDB held then is leaked.
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0:alloc_dealloc_mismatch=0:quarantine_size_mb=16";
}

// AddressSanitizer's would end the program where the C++ library's throws: for a size that a damaged file names.
void* operator new(std::size_t size) {
  void* const memory = size < (std::size_t{1} << 28) ? std::malloc(size) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new[](std::size_t size) {
  return operator new(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (setjmp(refused) == 0) rota::fuzz::checkpoint(std::as_bytes(std::span(data, size)));
  return 0;
}
