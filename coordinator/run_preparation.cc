#include "coordinator/run_preparation.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "coordinator/evaluation.h"
#include "core/base/finite.h"
#include "core/job/run_folder.h"
#include "core/job/tables.h"
#include "core/records/evaluated_epoch.h"
#include "rota/shards.h"
#include "rota/utf8.h"

namespace rota {

namespace {

constexpr std::size_t kMostNamed = 10'000;  // objects that a commit record names

// What of the data is behind URLs, to be named.
std::string named_urls(const Options& options) {
  std::string all;
  for (const char* const data : {"input", "valid"})
    if (const std::string text(options.text(data)); text.find("://") != text.npos)
      all += "; --" + (data + ("=" + text));
  return all;
}

// What of it was read in different versions, to be named; "" if one list is missing.
std::string named_object(const std::vector<HashedFile>& one, const std::vector<HashedFile>& other) {
  if (one.empty() || other.empty()) return "";
  const auto [first, second] = std::ranges::mismatch(one, other);
  if (first != one.end()) return ": " + first->file;
  return second != other.end() ? ": " + second->file : "";
}

// What has another content, if something has.
const char* differing(const Loaded& loaded, const Hash128& input, const Hash128& valid) {
  if (loaded.input != input) return "input";
  return loaded.valid != valid ? "held-out data (--valid)" : nullptr;
}

// What a commit record says of the app and of its data that the workers do not, or "".
std::string contradiction(const CommitRecord& record, const std::string& app, const std::vector<Fact>& of_data) {
  if (record.app != app) return "app is '" + record.app + "', and the run's is '" + app + "'";
  std::map<std::string, std::vector<double>> facts;
  for (const Fact& fact : of_data) facts[visible_text(fact.name)] = fact.values;
  for (const Fact& fact : record.facts) {
    const auto found = facts.find(visible_text(fact.name));
    if (found == facts.end()) return "facts has '" + fact.name + "', which the data does not have";
    if (found->second != fact.values) return "the data has another '" + fact.name + "' than facts";
    facts.erase(found);
  }
  return facts.empty() ? "" : "facts has no '" + facts.begin()->first + "'";
}

}  // namespace

std::uint64_t Loading::items() const {
  std::uint64_t sum = 0;
  for (const auto& [first, part] : loaded_) sum = std::accumulate(part.items.begin(), part.items.end(), sum);
  return sum;
}

Result<JobFacts> Loading::facts() const {
  JobFacts of_job;
  Facts facts;
  for (const auto& [first, part] : loaded_) {  // ascending
    of_job.census.resize(std::max(of_job.census.size(), part.census.size()));
    for (std::size_t key = 0; key < part.census.size(); ++key) of_job.census[key] += part.census[key];
    try {
      for (const std::vector<Fact>& of_shard : part.facts) facts.merge(Facts(of_shard));
    } catch (const std::invalid_argument& error) {
      return Status(ExitCode::failed, "plugin " + common().app + ", Push::facts: " + error.what());
    }
  }
  of_job.facts = facts.all();
  // No record could keep it.
  for (const Fact& fact : of_job.facts)
    if (!all_finite(fact.values))
      return Status(ExitCode::failed, "plugin " + common().app + ", Push::facts: the fact '" + fact.name +
                                          "' of the job is not a finite number");
  return of_job;
}

// Apps of Rota look at this before they make anything for a shard.
Status Loading::check_shards() const {
  std::size_t filled = plan_.shards;
  for (const auto& [first, part] : loaded_)
    filled -= static_cast<std::size_t>(std::ranges::count(part.items, std::uint64_t{0}));
  const std::string wrong = too_many_shards(filled, plan_.shards);
  return wrong.empty() ? Status() : Status(ExitCode::usage, wrong);
}

Status Loading::check() const {
  if (plan_.resume && plan_.resume->items != items())
    return {ExitCode::bad_data, "the input has " + std::to_string(items()) + " " + common().items_unit +
                                    " now; the checkpoint was made with " + std::to_string(plan_.resume->items)};
  const auto reader = [&](ShardId first) { return NodeId{Role::worker, hosts_.worker_of(first)}.name(); };
  for (const auto& [first, loaded] : loaded_)
    if (const char* what = differing(loaded, common().input, common().valid))
      return {ExitCode::bad_data, "the " + std::string(what) + " that " + reader(first) +
                                      " reads has another content than that of " + reader(0) +
                                      named_object(loaded.objects, common().objects) + named_urls(plan_.options)};
  if (!plan_.resume) return check_shards();
  if (const char* what = differing(common(), plan_.resume->input, plan_.resume->valid))
    return {ExitCode::bad_data, "the " + std::string(what) +
                                    " has another content than what the checkpoint was made with" +
                                    named_object(common().objects, plan_.resume->objects) + named_urls(plan_.options)};
  ROTA_ASSIGN(const auto of_data, facts());
  for (const auto* record : {&plan_.resume, &plan_.best})
    if (const std::string what = *record ? contradiction(**record, common().app, of_data.facts) : ""; !what.empty())
      return {ExitCode::disk, std::string(RunFolder::kCommitRecord) + " of epoch " + std::to_string((*record)->epoch) +
                                  ": damaged: " + what};
  return {};
}

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
  recorder_.event("loaded", {{"items", description_.found.items}, {"unit", description_.loaded.items_unit}});
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
  if (plan_.options.has("valid")) ROTA_TRY(check_held_out(loaded.app, loaded.scores));
  description_.found.app = loaded.app;
  description_.found.input = loaded.input;
  description_.found.valid = loaded.valid;
  if (loaded.objects.size() <= kMostNamed) description_.found.objects = loaded.objects;
  description_.found.job = plan_.hash;
  description_.loaded = loaded;
  description_.loaded.census.clear();
  return {};
}

Status RunPreparation::on(const CutMade& cut, NodeId from, Outbox& out) {
  if (phase_ != Phase::cutting || from != NodeId{Role::scheduler, 0}) return unexpected(cut.kind, from);
  recorder_.event("partitioned", {{"slices", cut.cut.slices.size()}, {"replicated", cut.cut.replicated.size()}});
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

}  // namespace rota
