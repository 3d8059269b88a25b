// tests/fuzz/entry_points.h -- what is fuzzed: one function for each decoder of foreign bytes.
//
// Each takes any bytes, returns whether the decoder accepted them, and aborts if the result changes when it is encoded
// and decoded again.  libFuzzer calls them (fuzz_target.cc), and so does replay_test.cc in every build.
#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace rota::fuzz {

inline std::string text_of(std::span<const std::byte> input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

// 64 bytes of a header, a byte with the number of blobs, then body and blobs.  Magic, version, number of frames and
// checksum are corrected: otherwise all inputs would be refused.
bool message(std::span<const std::byte> input);
// A commit record as text, as it is and under a right checksum; and one made of the bytes, which must come back.
bool commit(std::span<const std::byte> input);
// A cut as bytes.
bool cut(std::span<const std::byte> input);

// ---- files that a run keeps, and what people type (file_entry_points.cc) ----

// The manifest of a model whose one file is there and whole, as it is and under a right checksum.
bool manifest(std::span<const std::byte> input);
// One partition's file of a checkpoint.  What can be read of it must be the same when it is read again.
bool checkpoint(std::span<const std::byte> input);
// A file of flags, which must come back when it is written and read again.
bool flags(std::span<const std::byte> input);
// An address, which must come back from its own text.
bool address(std::span<const std::byte> input);

// ---- readers of users' files (reader_entry_points.cc) ----

// Four bytes that name two columns, then LIBSVM text.  Reading it in three ranges of columns must give the same result
// as reading it at once, or an error; and the result must be the same when it is written and read again.
bool libsvm(std::span<const std::byte> input);
// A MatrixMarket file.  Its entries must be as many as it says, and within it.
bool matrix_market(std::span<const std::byte> input);
// One number, which must be read as strtod reads it.
bool number(std::span<const std::byte> input);

}  // namespace rota::fuzz
