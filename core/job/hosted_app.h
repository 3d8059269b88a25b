// core/job/hosted_app.h -- the app of a job in this process: what its nodes share.
#pragma once
#include <memory>

#include "core/base/status.h"
#include "core/job/job_config.h"
#include "core/job/packed_folder.h"
#include "rota/plugin.h"

namespace rota {

struct HostedApp {
  const Plugin& plugin;
  JobConfig job;
  std::unique_ptr<App> app;
  std::shared_ptr<const PackedFolder> packed = nullptr;  // Job::packed, with its index
};

// Makes the app's object.  `plugin` outlives it; data by shard that the job names is
// opened.  Calls the plugin, which may throw: then a status as call_hook() makes it.
Result<std::shared_ptr<const HostedApp>> host_app(const Plugin& plugin, JobConfig job);

}  // namespace rota
