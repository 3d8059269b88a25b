// worker/exchange_work.h -- one turn of a shard in an exchange: what it gathers, its push, and what it sends behind it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "rota/push.h"
#include "worker/exchanges.h"

namespace rota {

struct ExchangeWork {
  // What it is to do.
  std::optional<ShardExchanges::Due> gather = {};  // first
  std::optional<Task> push = {};                   // then: the first step of this round follows

  // What it makes: a message for each of the receivers of a step.
  struct Sent {
    Task task;
    std::uint32_t step = 0;
    std::vector<Bytes> messages = {};
  };
  std::optional<Sent> sent = {};
  std::uint64_t items = 0;

  // Called on a compute thread.
  Status run(std::string_view plugin, std::uint64_t seed, const std::vector<Routes>& routes, ShardId shard,
             Push& hooks);

 private:
  Status send(std::string_view plugin, const std::vector<Routes>& routes, ShardId shard, Push& hooks, const Task& task,
              std::uint32_t step);
};

}  // namespace rota
