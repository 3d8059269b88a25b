// core/job/ignored_options.h -- options that were set and change nothing in a job.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/job/job_config.h"
#include "rota/plugin.h"

namespace rota {

// Of the options that have another value than their default, those that change nothing in this job: by what the plugin
// says, and by what the framework knows itself.  They get their defaults in `config`, so that they do change nothing.
// Calls the plugin, which may throw: then a status as call_hook() makes it.
Result<std::vector<Ignored>> drop_ignored(const Plugin& plugin, JobConfig& config);

// Those of `ignored` whose options have another value than their declarations in `table`.
std::vector<Ignored> only_set(std::vector<Ignored> ignored, const Options& options, std::span<const Option> table);

}  // namespace rota
