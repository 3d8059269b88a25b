// tests/fuzz/file_entry_points.h -- what is fuzzed of the files that a run keeps, and of what people type; see
// entry_points.h.
#pragma once
#include <cstddef>
#include <span>

namespace rota::fuzz {

// The manifest of a model whose one file is there and whole, as it is and under a right checksum.
bool manifest(std::span<const std::byte> input);
// One partition's file of a checkpoint.  What can be read of it must be the same when it is read again.
bool checkpoint(std::span<const std::byte> input);
// A file of flags, which must come back when it is written and read again.
bool flags(std::span<const std::byte> input);
// An address, which must come back from its own text.
bool address(std::span<const std::byte> input);

}  // namespace rota::fuzz
