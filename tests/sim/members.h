// tests/sim/members.h -- the processes of a cluster under test, over any network and clock: the order of their starts,
// how they join, and their nodes.
#pragma once
#include <memory>

#include "coordinator/plan.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/chunk_files.h"
#include "core/runtime/credit.h"
#include "core/runtime/host.h"
#include "core/wire/message.h"
#include "rota/plugin.h"

namespace rota::sim {

// The schedulers, workers and stores of the plan.
template <typename Start>
void start_members(const RunPlan& plan, const Start& start) {
  for (std::uint32_t i = 0; i < plan.schedulers; ++i) start(NodeId{Role::scheduler, i});
  for (std::uint32_t i = 0; i < plan.workers; ++i) start(NodeId{Role::worker, i});
  for (std::uint32_t i = 0; i < plan.stores; ++i) start(NodeId{Role::kvstore, i});
}

// `make_nodes` is called with each WELCOME.
void join(Host& host, NodeId id, std::uint64_t incarnation, const Hash128& job, Joins joins, Host::Factory make_nodes,
          Nanoseconds now);

struct Member {
  NodeId id;
  const RunPlan& plan;
  const Plugin& plugin;
  const Job& job;
  std::uint32_t threads = 1;
  bool asynchronous = false;
  Credit credit = {};
  std::shared_ptr<CheckpointStore> checkpoints;
  std::shared_ptr<ChunkFiles> own_files = nullptr;  // of a disk that the coordinator does not see
};
// The nodes of the era that `welcome` begins; `before`: those of the era before.  A worker is the first of its nodes.
Result<Host::Nodes> make_nodes(const Member& member, const Welcome& welcome, Host::Nodes before);

}  // namespace rota::sim
