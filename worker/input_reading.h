// worker/input_reading.h -- reads the data of shards: the app loads them, and the content of the files is hashed.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/job/hosted_app.h"
#include "core/runtime/node.h"
#include "core/wire/message.h"
#include "worker/worker_state.h"

namespace rota {

// Hashes of what the files of the job contain.
struct Contents {
  Hash128 input, valid;
  std::vector<HashedFile> objects = {};  // as in Loaded
};

// A worker's first work: the plugin loads shards, and the input's content is hashed beside it.
class InputReading {
 public:
  // Called once for each begin(), on the node's thread, when the shards are loaded and the contents known.
  using Done = std::function<Status(std::map<ShardId, ReadShard> shards, Outbox&)>;

  // `name` is the worker's.  `contents`, if they are known already.
  explicit InputReading(std::string name, std::optional<Contents> contents = {})
      : name_(std::move(name)), contents_(contents) {}

  // `app` has loaded nothing yet.  REQUIRES !reads().
  void begin(std::shared_ptr<const HostedApp> app, std::vector<ShardId> wanted, Outbox& out, Done done);
  bool reads() const { return done_ != nullptr; }
  const std::optional<Contents>& contents() const { return contents_; }

 private:
  Status end_if_done(Outbox& out);

  std::string name_;
  Done done_;
  std::optional<std::map<ShardId, ReadShard>> shards_;  // until they are given
  std::optional<Contents> contents_;
};

// What is reported to the coordinator of shards, in the order of their numbers.
Result<Loaded> loaded_message(const std::string& worker, const HostedApp& app, const Contents& contents,
                              std::span<const ReadShard> shards);

}  // namespace rota
