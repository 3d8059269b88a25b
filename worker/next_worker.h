// worker/next_worker.h -- the worker of a new era of a run.
#pragma once
#include <functional>
#include <memory>

#include "core/runtime/host.h"
#include "worker/worker.h"

namespace rota {

// Hosts what `welcome` says, with what the nodes `before` of this process can hand on; if that is nothing, with the app
// that `make_app` makes.  `settings.hosts` need not be set.
Result<std::unique_ptr<Worker>> next_worker(WorkerSettings settings, const Welcome& welcome, std::uint32_t shards,
                                            Host::Nodes before,
                                            const std::function<Result<std::shared_ptr<const HostedApp>>()>& make_app);

}  // namespace rota
