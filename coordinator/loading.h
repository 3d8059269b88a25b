// coordinator/loading.h -- what the workers found in the data: put together, and compared.
#pragma once
#include <cstdint>
#include <map>

#include "coordinator/plan.h"
#include "core/base/status.h"
#include "core/rounds/shard_hosts.h"
#include "core/wire/message.h"

namespace rota {

class Loading {
 public:
  // Both outlive this.
  Loading(const RunPlan& plan, const ShardHosts& hosts) : plan_(plan), hosts_(hosts) {}

  // False if the worker hosts nothing, or something else, or has reported before.
  bool add(std::uint32_t worker, const Loaded& loaded);
  // The reports are not needed any more.
  void clear() { loaded_.clear(); }
  bool complete() const { return loaded_.size() == hosts_.size(); }

  // The rest REQUIRES complete().

  // Whether all workers read the same, and what the checkpoint was made with: else ExitCode::bad_data.  And whether
  // the data is enough for the number of shards: else usage.
  Status check() const;
  std::uint64_t items() const;  // of all shards
  // What the whole job's data is: facts, merged in the order of the shards, and the census.  An error if two shards
  // report the same fact in different ways, or it is not finite, which is the plugin's fault.
  Result<JobFacts> facts() const;
  // What is the same in all of them: units, terms, tables, hashes of the data.
  const Loaded& common() const { return loaded_.begin()->second; }

 private:
  Status check_shards() const;

  const RunPlan& plan_;
  const ShardHosts& hosts_;
  std::map<ShardId, Loaded> loaded_;  // by the first shard of its worker
};

}  // namespace rota
