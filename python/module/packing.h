// python/module/packing.h -- data in memory as data by shard, which processes are given.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "rota/plugin.h"

namespace rota::python {

// What `rota shard` writes into `folder`, of an app that has data by shard.  Throws Failure.
void pack_data(const Plugin& plugin, const std::map<std::string, std::string>& options,
               const std::vector<std::string>& input, const std::vector<std::string>& valid,
               const std::filesystem::path& folder);

}  // namespace rota::python
