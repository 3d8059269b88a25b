// tests/fuzz/reader_entry_points.h -- what is fuzzed of the readers of users' files; see entry_points.h.
#pragma once
#include <cstddef>
#include <span>

namespace rota::fuzz {

// Four bytes that name two columns, then LIBSVM text.  Reading it in three ranges of columns must give what reading it
// at once gives, or tell that something is wrong; and what was read must survive being written and read again.
bool libsvm(std::span<const std::byte> input);
// A MatrixMarket file.  Its entries must be as many as it says, and within it.
bool matrix_market(std::span<const std::byte> input);
// One number, which must be read as strtod reads it.
bool number(std::span<const std::byte> input);

}  // namespace rota::fuzz
