// rota/exchange/replica_exchange.h -- ways to combine the shards' replicas of a vector in exchange rounds.
//
// A Push calls scatter() and gather() of one of these from its own hooks of those names, with its replica.  The order
// of all sums depends on the shards' numbers only, and an allreduce leaves the same bits in all replicas.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rota/bytes.h"
#include "rota/exchange/dataflows.h"
#include "rota/exchange/exchange_push.h"
#include "rota/round.h"
#include "rota/types.h"

namespace rota {

namespace exchange_detail {

inline Bytes bytes_of(std::span<const double> numbers) {
  Writer out;
  out.append(numbers.data(), numbers.size_bytes());
  return Bytes::from(out.take());
}

// Throws if a message does not hold exactly `count` numbers.
inline void require_numbers(const Incoming& in, std::size_t count) {
  if (in.bytes.size() != count * sizeof(double))
    throw std::runtime_error("shard " + std::to_string(in.from) + " sent " + std::to_string(in.bytes.size()) +
                             " bytes instead of " + std::to_string(count) + " numbers");
}

inline double number_at(const Incoming& in, std::size_t i) {
  double number = 0;
  std::memcpy(&number, in.bytes.view().data() + i * sizeof number, sizeof number);
  return number;
}

}  // namespace exchange_detail

class ReplicaExchange {
 public:
  virtual ~ReplicaExchange() = default;
  virtual void scatter(ShardId shard, std::span<const double> replica, std::uint32_t step, Outgoing& out) const = 0;
  virtual void gather(ShardId shard, std::span<double> replica, std::uint32_t step,
                      std::span<const Incoming> in) const = 0;
};

// Allreduce along tree_dataflow(): every replica becomes the sum of all.  Shard 0 receives and sends log2 S whole
// vectors, the others at most that number.
class TreeSum final : public ReplicaExchange {
 public:
  explicit TreeSum(std::uint32_t shards) : steps_(static_cast<std::uint32_t>(tree_dataflow(shards).steps.size())) {}

  void scatter(ShardId, std::span<const double> replica, std::uint32_t, Outgoing& out) const override {
    if (!out.receivers().empty()) out.put_to_all(exchange_detail::bytes_of(replica));
  }
  void gather(ShardId, std::span<double> replica, std::uint32_t step, std::span<const Incoming> in) const override {
    const bool up = step < steps_ / 2;
    for (const Incoming& one : in) {
      exchange_detail::require_numbers(one, replica.size());
      for (std::size_t i = 0; i < replica.size(); ++i) {
        const double number = exchange_detail::number_at(one, i);
        replica[i] = up ? replica[i] + number : number;
      }
    }
  }

 private:
  std::uint32_t steps_;
};

// Allreduce along nested_dataflow(): in every layer a group sums, each member a range of what they all have; then
// the sums come back.  Every shard sends 2 (1 - 1/S) times the vector.  A sum begins with 0 and adds a group's numbers
// in the order of its members, layer after layer.
class NestedSum final : public ReplicaExchange {
 public:
  explicit NestedSum(std::vector<std::uint32_t> degrees) : degrees_(std::move(degrees)) {}

  void scatter(ShardId shard, std::span<const double> replica, std::uint32_t step, Outgoing& out) const override {
    if (out.receivers().empty()) return;
    const std::size_t layer = layer_of(step);
    const Range whole = range(shard, layer, replica.size());
    for (std::size_t i = 0; i < out.receivers().size(); ++i) {
      const NestedPlace place(out.receivers()[i], degrees_, layer);
      const Range part =
          going_down(step) ? part_of(whole, place.digit(), place.degree()) : range(shard, layer + 1, replica.size());
      out.put(i, exchange_detail::bytes_of(replica.subspan(part.first, part.count)));
    }
  }
  void gather(ShardId shard, std::span<double> replica, std::uint32_t step,
              std::span<const Incoming> in) const override {
    if (degrees_.empty()) return;
    const std::size_t layer = layer_of(step);
    if (going_down(step)) {
      const Range own = range(shard, layer + 1, replica.size());
      sum(NestedPlace(shard, degrees_, layer), replica.subspan(own.first, own.count), in);
      return;
    }
    for (const Incoming& one : in) {
      const Range theirs = range(one.from, layer + 1, replica.size());
      exchange_detail::require_numbers(one, theirs.count);
      if (theirs.count > 0) std::memcpy(replica.data() + theirs.first, one.bytes.view().data(), one.bytes.size());
    }
  }

 private:
  struct Range {
    std::size_t first, count;
  };
  bool going_down(std::uint32_t step) const { return step < degrees_.size(); }
  std::size_t layer_of(std::uint32_t step) const { return going_down(step) ? step : 2 * degrees_.size() - 1 - step; }
  static Range part_of(Range whole, std::uint32_t q, std::uint32_t d) {
    const std::size_t first = whole.count * q / d, end = whole.count * (q + std::size_t{1}) / d;
    return {whole.first + first, end - first};
  }
  // What a shard has before the layer, going down.
  Range range(ShardId shard, std::size_t layer, std::size_t size) const {
    Range whole{0, size};
    for (std::size_t l = 0; l < layer; ++l) {
      const NestedPlace place(shard, degrees_, l);
      whole = part_of(whole, place.digit(), place.degree());
    }
    return whole;
  }
  static void sum(const NestedPlace& place, std::span<double> own, std::span<const Incoming> in) {
    for (const Incoming& one : in) exchange_detail::require_numbers(one, own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      double sum = 0;
      std::size_t next = 0;
      for (std::uint32_t q = 0; q < place.degree(); ++q)
        sum += q == place.digit() ? own[i] : exchange_detail::number_at(in[next++], i);
      own[i] = sum;
    }
  }

  std::vector<std::uint32_t> degrees_;
};

// Along any dataflow of one step: a replica becomes the mean of itself and of those received, summed in the order of
// the shards.  If every shard sends to as many as it receives from, the mean over all shards stays the same.
class Averaging final : public ReplicaExchange {
 public:
  void scatter(ShardId, std::span<const double> replica, std::uint32_t, Outgoing& out) const override {
    if (!out.receivers().empty()) out.put_to_all(exchange_detail::bytes_of(replica));
  }
  void gather(ShardId shard, std::span<double> replica, std::uint32_t, std::span<const Incoming> in) const override {
    for (const Incoming& one : in) exchange_detail::require_numbers(one, replica.size());
    const auto count = static_cast<double>(in.size() + 1);
    std::size_t before = 0;  // senders with a lower number
    while (before < in.size() && in[before].from < shard) ++before;
    for (std::size_t i = 0; i < replica.size(); ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < before; ++k) sum += exchange_detail::number_at(in[k], i);
      sum += replica[i];
      for (std::size_t k = before; k < in.size(); ++k) sum += exchange_detail::number_at(in[k], i);
      replica[i] = sum / count;
    }
  }
};

}  // namespace rota
