#include "worker/worker.h"

namespace rota {

Status Worker::step(const Envelope& in, Outbox& out) {
  return handle<Welcome, ReadAhead, JobFacts, CutMade, Fetched, Tasks, Lease, Scattered, Deltas, Evaluate, Save,
                Stored>(in, [&](const auto& message) { return on(message, in.from, out); });
}

template <typename M>
Status Worker::execute(const M& message, NodeId from, Outbox& out) {
  return preparation_.done() ? executor_.on(message, from, out) : unexpected(message.kind, from);
}

Status Worker::on(const Deltas& deltas, NodeId from, Outbox& out) {
  return deltas.rows.round == 0 ? preparation_.on(deltas, from, out) : execute(deltas, from, out);
}

Status Worker::on(const Evaluate& evaluate, NodeId from, Outbox& out) {
  // A neighbour that visits already may have sent slices on.
  const bool may = executor_.idle() || !evaluate.visits;
  if (!preparation_.done() || !may || epoch_work_.evaluates() || epoch_work_.awaits())
    return unexpected(evaluate.kind, from);
  if (evaluate.visits || executor_.quiet())
    epoch_work_.begin(evaluate, out);
  else
    epoch_work_.begin_later(evaluate);
  return {};
}

Status Worker::on(const Save& save, NodeId from, Outbox& out) {
  if (!preparation_.done() || !executor_.quiet() || epoch_work_.saves()) return unexpected(save.kind, from);
  epoch_work_.begin(save, out);
  return {};
}

Status Worker::on(const Stored& stored, NodeId, Outbox& out) {
  epoch_work_.on(stored, out);
  return {};
}

Result<std::unique_ptr<Worker>> next_worker(const Welcome& welcome, std::uint32_t shards,
                                            std::vector<std::unique_ptr<Node>> before,
                                            const std::function<Result<std::shared_ptr<const HostedApp>>()>& make_app,
                                            const Credit& credit) {
  ROTA_ASSIGN(ShardHosts hosts, ShardHosts::from(welcome.shard_hosts, shards));
  std::optional<Prepared> prepared;
  for (const auto& node : before)
    if (auto* worker = dynamic_cast<Worker*>(node.get())) prepared = worker->take_prepared(welcome.resume.has_value());
  before.clear();
  if (prepared) return std::make_unique<Worker>(std::move(hosts), *std::move(prepared), credit);
  ROTA_ASSIGN(auto app, make_app());
  return std::make_unique<Worker>(std::move(hosts), std::move(app), credit);
}

}  // namespace rota
