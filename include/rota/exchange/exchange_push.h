// rota/exchange/exchange_push.h -- a shard's part of exchange rounds: messages from shard to shard (rota/dataflow.h).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rota/argument.h"
#include "rota/bytes.h"
#include "rota/push.h"
#include "rota/random.h"
#include "rota/types.h"

namespace rota {

// One shard's share of an exchange round.
struct ExchangeTask {
  Epoch epoch;
  RoundId round;
  std::uint32_t dataflow;  // of App::dataflows
  Argument argument;       // of the round
};

// A message that a shard received from another in a step of an exchange.
struct Incoming {
  ShardId from;
  Bytes bytes;
};

// What a shard sends in a step of an exchange: one message to each receiver, empty if none is put.
class Outgoing {
 public:
  explicit Outgoing(std::span<const ShardId> receivers) : receivers_(receivers), messages_(receivers.size()) {}

  std::span<const ShardId> receivers() const { return receivers_; }
  // To receivers()[i].
  void put(std::size_t i, Bytes message) { messages_.at(i) = std::move(message); }
  // The same to all of them; it is not copied for each.
  void put_to_all(const Bytes& message) { std::fill(messages_.begin(), messages_.end(), message); }
  std::vector<Bytes> take() { return std::move(messages_); }

 private:
  std::span<const ShardId> receivers_;
  std::vector<Bytes> messages_;
};

// A shard that takes part in exchange rounds.
class ExchangePush : public virtual Push {
 public:
  // An exchange round begins with the shard's own work on its replica.  Returns the number of items visited.
  virtual std::uint64_t push(const ExchangeTask&, Random&) = 0;
  // In each step of the round's dataflow: what this shard sends, ...
  virtual void scatter(const ExchangeTask&, std::uint32_t step, Outgoing&) = 0;
  // ... and what it received, from all senders, in their order.  A dataflow of one step may lag: with a staleness of
  // s, all but the last s of the preceding exchange rounds are gathered before a push, counted from the last round of
  // another kind.  In an asynchronous run, at most the newest message of each sender is gathered, if it was not
  // gathered before.  Before a round of another kind, and at the end of an epoch, everything is gathered.
  virtual void gather(const ExchangeTask&, std::uint32_t step, std::span<const Incoming>) = 0;
};

}  // namespace rota
