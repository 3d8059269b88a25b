// worker/prepared.h -- what a worker has made of its data.  It outlives the worker when a run goes back, or when shards
// move, so that nothing is read again.
#pragma once
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/job/hosted_app.h"
#include "core/rounds/views.h"
#include "core/wire/message.h"
#include "rota/bytes.h"
#include "rota/facts.h"
#include "rota/push.h"

namespace rota {

// What the shards were attached to, and may refer to.
struct Attached {
  Attached(Facts of_job, const std::vector<Table>& tables) : facts(std::move(of_job)), views(tables) {}

  Facts facts;
  Views views;  // of dense tables
  Cut cut;
};

// Hashes of what the files of the job contain.
struct Contents {
  Hash128 input, valid;
};

// A shard whose data is in memory.
struct ReadShard {
  std::shared_ptr<const HostedApp> app;  // that has read it: one for each time that something was read
  std::unique_ptr<Push> push;
  bool attached = false;
  // What its data is, as it was told before it was attached, for it may drop what it told this of.
  std::uint64_t items = 0;
  std::vector<Fact> facts = {};
  Bytes census = {};  // numbers of variable length, by key
};

struct Prepared {
  std::map<ShardId, ReadShard> shards;  // at least one
  std::unique_ptr<Attached> attached;   // there if one of them is
  Contents contents;                    // of the input, as far as it was read
};

}  // namespace rota
