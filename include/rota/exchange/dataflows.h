// rota/exchange/dataflows.h -- the usual dataflows of exchange rounds: all to all, Halton, butterflies, trees.
//
// Sources: trees and butterflies as usual for allreduce, with mixed degrees as in Kylix (Zhao and Canny, ICPP 2014);
// butterfly mixing, Zhao and Canny, SDM 2013; ALL and HALTON, Li, Kadav, Kruus and Ungureanu, "MALT", EuroSys 2015.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "rota/dataflow.h"
#include "rota/types.h"

namespace rota {

// ---- one step ----

// Every shard to every other: S - 1 messages of each of S shards.
inline Dataflow all_dataflow(std::uint32_t shards) {
  Dataflow flow{{std::vector<std::vector<ShardId>>(shards)}};
  for (ShardId s = 0; s < shards; ++s)
    for (ShardId to = 0; to < shards; ++to)
      if (to != s) flow.steps[0][s].push_back(to);
  return flow;
}

// Shard s to s + S/2, s + S/4, s + 3S/4, s + S/8, ... (mod S), the points of a Halton sequence of base 2, log2 S of
// them: what one shard has reaches all within a few rounds.
inline Dataflow halton_dataflow(std::uint32_t shards) {
  Dataflow flow{{std::vector<std::vector<ShardId>>(shards)}};
  std::uint32_t wanted = 0;
  while ((std::uint64_t{1} << wanted) < shards) ++wanted;
  for (ShardId s = 0; s < shards; ++s) {
    auto& to = flow.steps[0][s];
    for (std::uint64_t i = 1; to.size() < wanted; ++i) {
      std::uint64_t point = 0, scale = 1;  // the i-th point: the bits of i after the binary point, the last one first
      for (std::uint64_t bits = i; bits > 0; bits >>= 1, scale <<= 1) point = 2 * point + (bits & 1);
      const auto receiver = static_cast<ShardId>((s + point * shards / scale) % shards);
      if (receiver != s && std::find(to.begin(), to.end(), receiver) == to.end()) to.push_back(receiver);
    }
    std::sort(to.begin(), to.end());
  }
  return flow;
}

// The number of different rounds of mixing_dataflow(), after which they repeat: ceil(log2 S), at least 1.
inline std::uint32_t mixing_rounds(std::uint32_t shards) {
  std::uint32_t rounds = 1;
  while ((std::uint64_t{1} << rounds) < shards) ++rounds;
  return rounds;
}
// Butterfly mixing, round t < mixing_rounds(): of 2^d shards, s and s XOR 2^t exchange.  For other numbers of shards, s
// sends to s + 2^t (mod S) and so receives from s - 2^t.  With equal weights both keep the sums over all shards.
inline Dataflow mixing_dataflow(std::uint32_t shards, std::uint32_t t) {
  Dataflow flow{{std::vector<std::vector<ShardId>>(shards)}};
  if (shards < 2) return flow;
  const bool power_of_two = (shards & (shards - 1)) == 0;
  const std::uint32_t distance = std::uint32_t{1} << t;
  for (ShardId s = 0; s < shards; ++s)
    flow.steps[0][s] = {power_of_two ? s ^ distance : static_cast<ShardId>((s + std::uint64_t{distance}) % shards)};
  return flow;
}

// ---- allreduce ----

// A binomial tree: in step k < L = ceil(log2 S) the shards that are odd multiples of 2^k send to the one 2^k below; in
// steps L .. 2L - 1 the way back.
inline Dataflow tree_dataflow(std::uint32_t shards) {
  Dataflow flow;
  for (std::uint64_t distance = 1; distance < shards; distance *= 2) {
    auto& up = flow.steps.emplace_back(shards);
    for (std::uint64_t s = distance; s < shards; s += 2 * distance) up[s] = {static_cast<ShardId>(s - distance)};
  }
  for (std::size_t k = flow.steps.size(); k-- > 0;) {
    std::vector<std::vector<ShardId>> down(shards);
    for (ShardId s = 0; s < shards; ++s)
      for (const ShardId parent : flow.steps[k][s]) down[parent].push_back(s);
    flow.steps.push_back(std::move(down));
  }
  if (flow.steps.empty()) flow.steps.emplace_back(shards);  // one shard, which sends nothing
  return flow;
}

// The prime factors of a number of shards, the largest first: the degrees of a butterfly for any number.
inline std::vector<std::uint32_t> prime_degrees(std::uint32_t shards) {
  std::vector<std::uint32_t> degrees;
  for (std::uint32_t p = 2; shards > 1; ++p) {
    if (std::uint64_t{p} * p > shards) p = shards;
    for (; shards % p == 0; shards /= p) degrees.push_back(p);
  }
  std::reverse(degrees.begin(), degrees.end());
  return degrees;
}

// The place of a shard in a nested butterfly.  Its number has one digit for each layer, in the base of the layer's
// degree, and the first layer's digit is the last.  The group of a layer are the shards that differ in that digit only.
class NestedPlace {
 public:
  NestedPlace(ShardId shard, const std::vector<std::uint32_t>& degrees, std::size_t layer)
      : shard_(shard), degree_(degrees[layer]) {
    for (std::size_t l = 0; l < layer; ++l) stride_ *= degrees[l];
    digit_ = shard / stride_ % degree_;
  }
  std::uint32_t degree() const { return degree_; }
  std::uint32_t digit() const { return digit_; }  // of this shard, in the group
  ShardId member(std::uint32_t digit) const { return shard_ - digit_ * stride_ + digit * stride_; }

 private:
  ShardId shard_;
  std::uint32_t degree_, stride_ = 1, digit_ = 0;
};

// A butterfly of any degrees whose product is the number of shards: in step l < L every shard sends to the others of
// its group of layer l, in steps L .. 2L - 1 in those of layers L - 1 .. 0.
inline Dataflow nested_dataflow(const std::vector<std::uint32_t>& degrees) {
  const std::uint32_t shards = std::accumulate(degrees.begin(), degrees.end(), 1U, std::multiplies<>());
  Dataflow flow;
  for (std::size_t layer = 0; layer < degrees.size(); ++layer) {
    auto& step = flow.steps.emplace_back(shards);
    for (ShardId s = 0; s < shards; ++s) {
      const NestedPlace place(s, degrees, layer);
      for (std::uint32_t q = 0; q < place.degree(); ++q)
        if (q != place.digit()) step[s].push_back(place.member(q));
    }
  }
  for (std::size_t l = degrees.size(); l-- > 0;) flow.steps.push_back(std::vector(flow.steps[l]));
  if (flow.steps.empty()) flow.steps.emplace_back(shards);  // one shard, which sends nothing
  return flow;
}

}  // namespace rota
