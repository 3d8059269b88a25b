// worker/prepared.h -- what a worker has made of its data.  It outlives the worker when a run goes back, so that
// nothing is read again.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "core/job/hosted_app.h"
#include "core/rounds/views.h"
#include "core/wire/message.h"
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

struct Prepared {
  std::shared_ptr<const HostedApp> app;
  Loaded loaded;  // what the coordinator is told
  std::unique_ptr<Attached> attached;
  std::vector<std::unique_ptr<Push>> pushes;  // of the hosted shards, in their order
};

}  // namespace rota
