// worker/worker_state.h -- what a worker has of its job: options, shards, slices and shared rows.  Preparation fills
// it, and what computes works on it.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/job/hosted_app.h"
#include "core/job/plugin_host.h"
#include "core/job/tables.h"
#include "core/rounds/commits.h"
#include "core/rounds/shard_hosts.h"
#include "core/rounds/views.h"
#include "core/runtime/credit.h"
#include "core/wire/message.h"
#include "rota/bytes.h"
#include "rota/facts.h"
#include "rota/push.h"
#include "worker/leases.h"

namespace rota {

// What the shards were attached to, and may refer to.
struct Attached {
  Attached(Facts of_job, const std::vector<Table>& tables) : facts(std::move(of_job)), views(tables) {}

  Facts facts;
  Views views;  // of dense tables
  Cut cut;
};

// A shard whose data is in memory.
struct ReadShard {
  std::shared_ptr<const HostedApp> app;  // that has read it: one for each time that something was read
  std::unique_ptr<Push> push;
  bool attached = false;
  // What it reported of its data before it was attached, as it may drop that then.
  std::uint64_t items = 0;
  std::vector<Fact> facts = {};
  Bytes census = {};  // numbers of variable length, by key
};

// The node's thread changes it.  Work on a compute thread reads what does not change while it runs, and has the push of
// its shard and the slice that it visits to itself.
struct WorkerState {
  WorkerState(ShardHosts of_run, std::shared_ptr<const HostedApp> made, const Credit& for_others = {})
      : app(std::move(made)),
        shard_hosts(std::move(of_run)),
        hosted(shard_hosts.of(job().index)),
        credit(for_others),
        commits({}, job().partitions) {}
  WorkerState(const WorkerState&) = delete;  // what works on it refers to it
  WorkerState& operator=(const WorkerState&) = delete;

  NodeId id() const { return {Role::worker, job().index}; }
  const Plugin& plugin() const { return app->plugin; }
  const JobConfig& job() const { return app->job; }
  // Calls a hook of the plugin; `where` says for what.
  template <typename Call>
  Status hook(std::string_view name, const std::string& where, Call&& call) const {
    return call_hook(plugin().name, name, where, std::forward<Call>(call));
  }
  // Tasks that the compute threads are given at a time: one more for each than it runs, so that none waits for this
  // node's thread to learn that it is free.
  std::uint32_t at_once() const { return 2 * job().threads; }
  bool hosts(ShardId shard) const { return hosted.contains(shard); }
  Push& push(ShardId shard) const { return *shards[shard - hosted.first].push; }
  const Cut& cut() const { return attached->cut; }
  Views& views() const { return attached->views; }
  // The app that has read the first shard hosted here.  There may be several, each with what it read; the facts
  // of the data are those of shard 0's.
  const App& first_reader() const { return *shards.front().app->app; }

  const std::shared_ptr<const HostedApp> app;
  const ShardHosts shard_hosts;
  const ShardHosts::Shards hosted;
  const Credit credit;
  std::vector<ReadShard> shards;       // those of `hosted`, once they are read
  std::vector<Term> terms;             // of an evaluation
  std::unique_ptr<Attached> attached;  // there once the facts are in
  std::vector<Routes> routes;          // of the app's dataflows
  Commits commits;
  Leases leases;
};

inline std::string name_of(ShardId shard) {
  return "shard " + std::to_string(shard);
}
inline std::string name_of_slice(SliceId slice) {
  return "slice " + std::to_string(slice);
}
// Where a hook was called.
inline std::string where(const Task& task) {
  return "round " + std::to_string(task.round) + ", " + name_of(task.shard);
}

}  // namespace rota
