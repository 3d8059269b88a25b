#include "coordinator/run_preparation.h"

#include "coordinator/evaluation.h"
#include "core/job/tables.h"
#include "core/runtime/handle.h"

namespace rota {

Status RunPreparation::on(const Loaded& loaded, NodeId from, Outbox& out) {
  if (phase_ != Phase::loading || from.role != Role::worker || !loading_.add(from.index, loaded))
    return unexpected(loaded.kind, from);
  if (!loading_.complete()) return {};
  ROTA_TRY(loading_.check());
  ROTA_ASSIGN(auto facts, loading_.facts());
  description_.found.facts = facts.facts;
  description_.found.items = loading_.items();
  loading_.clear();
  ROTA_TRY(check_and_take(loaded));
  recorder_.event("loaded",
                  {{"items", std::to_string(description_.found.items)}, {"unit", description_.loaded.items_unit}});
  enter(phase_, Phase::cutting, recorder_);
  out.send(plan_.scheduler_nodes(), facts);
  facts.census.clear();  // the cut has what the others need of it
  out.send(hosts_.nodes(), facts);
  out.send(plan_.partition_nodes(), facts);
  return {};
}

// What is the same in the LOADED of all workers.
Status RunPreparation::check_and_take(const Loaded& loaded) {
  ROTA_TRY(check_scores(loaded.terms, loaded.scores));
  if (plan_.patience > 0 && held_out_score(loaded.scores) == nullptr)
    return {ExitCode::usage, "--patience: " + loaded.app + " has no score of held-out data"};
  description_.found.app = loaded.app;
  description_.found.input = loaded.input;
  description_.found.valid = loaded.valid;
  description_.found.job = plan_.hash;
  description_.loaded = loaded;
  description_.loaded.census.clear();
  return {};
}

Status RunPreparation::on(const CutMade& cut, NodeId from, Outbox& out) {
  if (phase_ != Phase::cutting || from != NodeId{Role::scheduler, 0}) return unexpected(cut.kind, from);
  recorder_.event("partitioned", {{"slices", std::to_string(cut.cut.slices.size())},
                                  {"replicated", std::to_string(cut.cut.replicated.size())}});
  ROTA_TRY(check_tables(cut.tables));
  warn(cut.ignored);
  description_.tables = cut.tables;
  description_.may_end_job = cut.may_end_job;
  plan_.slices = static_cast<std::uint32_t>(cut.cut.slices.size());
  enter(phase_, Phase::preparing, recorder_);
  out.send(hosts_.nodes(), CutMade{cut.cut});
  return {};
}

// Of options that change nothing, and of those that make the run impossible to repeat.
void RunPreparation::warn(const std::vector<IgnoredOption>& ignored) {
  std::set<std::string> names;
  for (const IgnoredOption& one : ignored) {
    names.insert(one.option);
    recorder_.event("warning", {{"what", one.text()}});
  }
  if (plan_.step_budget > 0 && !names.contains("step_budget_ms"))
    recorder_.event("not_reproducible", {{"why", "time control ends visits by the clock (--step_budget_ms)"}});
  if (plan_.asynchronous && !names.contains("asynchronous"))
    recorder_.event("not_reproducible", {{"why", "a push sees whatever commits have come (--asynchronous)"}});
}

Status RunPreparation::on(const Ready& ready, NodeId from, Outbox&) {
  const bool prepares = from.role == Role::worker || from.role == Role::partition;
  return prepares && !complete() && ready_.insert(from).second ? Status() : unexpected(ready.kind, from);
}

bool RunPreparation::complete() const {
  return ready_.size() == hosts_.size() + plan_.partitions;
}

}  // namespace rota
