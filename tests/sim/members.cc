#include "tests/sim/members.h"

#include "core/base/version.h"
#include "core/job/hosted_app.h"
#include "core/rounds/shard_hosts.h"
#include "kvstore/partition.h"
#include "scheduler/scheduler.h"
#include "worker/worker.h"

namespace rota::sim {

void join(Host& host, NodeId id, std::uint64_t incarnation, const Hash128& job, Joins joins, Host::Factory make_nodes,
          Nanoseconds now) {
  Hello hello;
  hello.endpoint = id.name();
  hello.version = kVersion;
  hello.job = job;
  hello.incarnation = incarnation;
  hello.joins = joins;
  host.join(kCoordinator.name(), hello, std::move(make_nodes), now);
}

Result<Host::Nodes> make_nodes(const Member& member, const Welcome& welcome, Host::Nodes before) {
  const auto& [id, plan, job] = std::tie(member.id, member.plan, member.job);
  JobConfig config = job;
  config.index = id.index;
  config.schedulers = plan.schedulers;
  config.partitions = plan.partitions;
  config.threads = member.threads;
  config.asynchronous = member.asynchronous;
  auto app = host_app(member.plugin, std::move(config));
  if (!app.ok()) return app.status();
  Host::Nodes nodes;
  if (id.role == Role::scheduler) nodes.push_back(std::make_unique<Scheduler>(*app));
  if (id.role == Role::worker) {
    auto worker = next_worker(
        welcome, plan.shards, std::move(before), [&] { return app; }, member.credit);
    if (!worker.ok()) return worker.status();
    nodes.push_back(*std::move(worker));
  }
  const auto hosts = ShardHosts::from(welcome.shard_hosts, plan.shards);
  if (!hosts.ok()) return hosts.status();
  for (std::uint32_t p = 0; p < welcome.partition_hosts.size(); ++p)
    if (welcome.partition_hosts[p] == id)
      nodes.push_back(std::make_unique<Partition>(PartitionSettings{p, hosts->workers(), member.credit, plan.copies},
                                                  *app, member.checkpoints, member.own_files));
  return nodes;
}

}  // namespace rota::sim
