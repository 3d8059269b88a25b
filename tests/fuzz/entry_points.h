// tests/fuzz/entry_points.h -- what is fuzzed: one function for each decoder of foreign bytes.
//
// Each takes any bytes, tells whether the decoder took them for something, and aborts if what was decoded does not
// survive being encoded and decoded again.  libFuzzer calls them (message.cc, commit.cc, cut.cc), and so does
// replay_test.cc in every build.
#pragma once
#include <cstddef>
#include <span>

namespace rota::fuzz {

// 64 bytes of a header, a byte that says how many blobs follow, then body and blobs.  Magic, version, number of frames
// and checksum are put right, or no input would get behind them.
bool message(std::span<const std::byte> input);
// A commit record as text, as it is and under a right checksum; and one made of the bytes, which must come back.
bool commit(std::span<const std::byte> input);
// A cut as bytes.
bool cut(std::span<const std::byte> input);

}  // namespace rota::fuzz
