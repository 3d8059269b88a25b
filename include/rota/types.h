// rota/types.h -- the types that every part of Rota shares.  The glossary is in docs/concepts.md.
#pragma once
#include <cstdint>
#include <limits>

namespace rota {

using Key = std::uint64_t;      // names one row of a table
using TableId = std::uint32_t;  // position in the plugin's list of tables
using ShardId = std::uint32_t;  // data shard, 0 .. shards-1
using SliceId = std::uint32_t;  // slice of the sliced table, 0 .. slices-1
using Epoch = std::uint32_t;    // 0 is the starting pass, where a plugin has one
using RoundId = std::uint64_t;  // counts from 1 over the whole job

// How the parts that shards make for a row become one: elementwise their sum, the smallest or the largest.
enum class Combine : std::uint8_t { sum, min, max };

// What a part begins as: combining it with another changes nothing.
constexpr double identity_of(Combine how) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return how == Combine::sum ? 0 : how == Combine::min ? kInfinity : -kInfinity;
}
constexpr double combined(Combine how, double a, double b) {
  if (how == Combine::sum) return a + b;
  return how == Combine::min ? (b < a ? b : a) : (b > a ? b : a);
}

}  // namespace rota
