// worker/input_reading.h -- a worker's first work: the plugin loads the hosted shards, and the input's content is
// hashed beside it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/job/hosted_app.h"
#include "core/runtime/node.h"
#include "core/wire/message.h"
#include "rota/push.h"

namespace rota {

class InputReading {
 public:
  struct Shards {
    std::vector<std::unique_ptr<Push>> pushes;  // of the hosted shards, in their order
    Loaded message;                             // what the coordinator is told of them
  };
  // Called once, on the node's thread, when both are done.
  using Done = std::function<Status(Shards, Outbox&)>;

  // `app` outlives this; `name` is the worker's.
  InputReading(const HostedApp& app, std::string name) : app_(app), name_(std::move(name)) {}

  void begin(std::vector<ShardId> hosted, Outbox& out, Done done);

 private:
  Status load(const std::vector<ShardId>& hosted, Shards& shards) const;
  Status end_if_done(Outbox& out);

  const HostedApp& app_;
  std::string name_;
  Done done_;
  std::optional<Shards> shards_;                         // until it is given
  std::optional<std::pair<Hash128, Hash128>> contents_;  // of input and held-out data
};

}  // namespace rota
