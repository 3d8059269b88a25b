// rota/io/input_size.h -- the size of an input, and the number of data shards that follows from it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rota/plugin.h"

namespace rota::io {

// The entries of data in memory.  Throws NoInput.
std::uint64_t memory_entries(const std::string& name);
// Of files and objects as they are stored, and of entries in memory; pipes count as none.  Throws NoInput, and of
// objects what they throw.
std::uint64_t input_bytes(const std::vector<std::string>& inputs);

// `few` data shards for an input of less than `large` bytes, else the usual number.  Throws as input_bytes().
inline ChosenShards few_shards_below(std::uint64_t large, std::uint32_t few, const Job& job) {
  const std::uint64_t bytes = input_bytes(job.input);
  return {bytes < large ? few : kUsualShards, std::to_string(bytes) + " bytes of input"};
}

}  // namespace rota::io
