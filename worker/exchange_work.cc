#include "worker/exchange_work.h"

#include "core/base/seed.h"
#include "core/job/plugin_host.h"

namespace rota {

namespace {

ExchangeTask shown(const Task& task) {
  return {task.epoch, task.round, *task.dataflow, task.argument};
}

std::string where(const Task& task, ShardId shard) {
  return "round " + std::to_string(task.round) + ", shard " + std::to_string(shard);
}

}  // namespace

Status ExchangeWork::run(std::string_view plugin, std::uint64_t seed, const std::vector<Routes>& routes, ShardId shard,
                         Push& hooks) {
  if (gather) {
    const Task& task = gather->task;
    ROTA_TRY(call_hook(plugin, "Push::gather", where(task, shard),
                       [&] { hooks.gather(shown(task), gather->step, gather->messages); }));
    if (gather->next) ROTA_TRY(send(plugin, routes, shard, hooks, task, *gather->next));
  }
  if (!push) return {};
  ROTA_TRY(call_hook(plugin, "Push::push", where(*push, shard), [&] {
    Random random = random_for(seed, Stream::push_exchange, push->epoch, shard, push->round);
    items = hooks.push(shown(*push), random);
  }));
  return send(plugin, routes, shard, hooks, *push, 0);
}

Status ExchangeWork::send(std::string_view plugin, const std::vector<Routes>& routes, ShardId shard, Push& hooks,
                          const Task& task, std::uint32_t step) {
  Outgoing out(routes[*task.dataflow].receivers[step][shard]);
  ROTA_TRY(call_hook(plugin, "Push::scatter", where(task, shard), [&] { hooks.scatter(shown(task), step, out); }));
  sent = Sent{task, step, out.take()};
  return {};
}

}  // namespace rota
