#include "coordinator/training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "coordinator/scores.h"
#include "core/job/run_folder.h"
#include "core/job/tables.h"
#include "core/runtime/handle.h"

namespace rota {

namespace {

// A job that ends when its schedule says so.
constexpr Epoch kNoEnd = std::numeric_limits<Epoch>::max() - 1;

std::vector<NodeId> workers_of(const RunPlan& plan) {
  std::vector<NodeId> ids;
  for (const ShardRange& range : plan.hosts.ranges()) ids.push_back({Role::worker, range.worker});
  return ids;
}

std::vector<NodeId> partitions_of(const RunPlan& plan) {
  std::vector<NodeId> ids;
  for (std::uint32_t p = 0; p < plan.partitions; ++p) ids.push_back({Role::partition, p});
  return ids;
}

double seconds(Nanoseconds ns) {
  return static_cast<double>(ns) / static_cast<double>(kSecond);
}

}  // namespace

Training::Training(RunPlan plan, std::shared_ptr<Recorder> recorder, Roster& roster, End end, Held held)
    : plan_(std::move(plan)),
      recorder_(std::move(recorder)),
      roster_(roster),
      end_(std::move(end)),
      held_(std::move(held)),
      loading_(plan_),
      turns_(plan_.schedulers),
      dispatch_(plan_.hosts, plan_.shards, plan_.slices, plan_.partitions, {}),
      epochs_(static_cast<std::uint32_t>(plan_.hosts.size()), plan_.schedulers),
      best_epoch_(plan_.patience, plan_.resume ? plan_.resume->record.best : std::nullopt),
      copies_(plan_.checkpoints, plan_.copies, [this](const Status& status, Outbox& out) {
        if (!status.ok()) return this->end(status.code(), status.what(), out);
        if (phase_ != Phase::ended) record_if_whole(out);
      }) {
  if (!plan_.resume) return;
  last_checkpoint_ = plan_.resume;
  best_checkpoint_ = plan_.best;
  next_round_ = plan_.resume->next_round;
  seconds_ = plan_.resume->seconds;
  scheduling_epoch_ = plan_.resume->epoch + 1;
  record_ = plan_.resume->record;
}

Welcome Training::welcome() const {
  Welcome welcome = roster_.welcome(plan_.hosts);
  welcome.era = plan_.era;
  if (plan_.resume) {
    welcome.resume = plan_.resume->epoch;
    welcome.files = plan_.resume->files;
  }
  return welcome;
}

void Training::begin(Outbox& out) {
  out.send(roster_.members(), welcome());
  enter(Phase::loading);
}

Status Training::step(const Envelope& in, Outbox& out) {
  return handle<Loaded, CutMade, Ready, Rounds, Committed, EpochDone, Evaluated, Saved, Written, Chunk, AskChunk>(
      in, [&](const auto& message) {
        on(message, in.from, out);
        return Status();
      });
}

void Training::enter(Phase phase) {
  static constexpr const char* kNames[] = {"loading", "cutting", "preparing", "training", "finishing", "ended"};
  phase_ = phase;
  if (phase != Phase::ended) recorder_->event("phase", {{"phase", kNames[static_cast<int>(phase)]}});
}

void Training::stop(const Ending& why) {
  if (phase_ != Phase::training || stop_) return;
  stop_ = why;
  recorder_->event("stopping", {{"why", why.what},
                                {"when", checkpoint_ ? "when the checkpoint is written" : "at the end of the epoch"}});
  // An epoch that is over already is the last, wherever its end is.
  if (!boundary_ || boundary_->stage == Boundary::Stage::running) return;
  boundary_->last = boundary_->save = true;
}

void Training::hold() {
  if (phase_ != Phase::training || stop_) return;
  hold_ = true;
  if (boundary_ && boundary_->stage != Boundary::Stage::saving) boundary_->save = true;
}

// ---- preparing ----

void Training::on(const Loaded& loaded, NodeId from, Outbox& out) {
  if (phase_ != Phase::loading || from.role != Role::worker) return wrong(from, "LOADED", out);
  if (!loading_.add(from.index, loaded)) return wrong(from, "LOADED", out);
  if (!loading_.complete()) return;
  if (const Status same = loading_.check(); !same.ok()) return end(same.code(), same.what(), out);
  auto facts = loading_.facts();
  if (!facts.ok()) return end(facts.status().code(), facts.status().what(), out);
  items_ = loading_.items();
  items_unit_ = loaded.items_unit;
  if (const Status checked = check_scores(loaded.terms, loaded.scores); !checked.ok())
    return end(checked.code(), checked.what(), out);
  if (plan_.patience > 0 && held_out_score(loaded.scores) == nullptr)
    return end(ExitCode::usage, "--patience: " + loaded.app + " has no score of held-out data", out);
  terms_ = loaded.terms;
  scores_ = loaded.scores;
  evaluating_pass_ = loaded.evaluating_pass;
  next_checkpoint_.facts = facts->facts;
  next_checkpoint_.app = loaded.app;
  next_checkpoint_.input = loaded.input;
  next_checkpoint_.valid = loaded.valid;
  if (!plan_.resume) scheduling_epoch_ = loaded.starting_pass ? 0 : 1;
  last_epoch_ = plan_.epochs > 0 ? plan_.epochs : loaded.epochs > 0 ? loaded.epochs : kNoEnd;
  recorder_->event("loaded", {{"items", std::to_string(items_)}, {"unit", items_unit_}});
  enter(Phase::cutting);
  loading_.clear();
  out.send(roster_.schedulers(), *facts);
  facts->census.clear();  // the cut tells the others what they need of it
  out.send(workers_of(plan_), *facts);
  out.send(partitions_of(plan_), *facts);
}

void Training::on(const CutMade& cut, NodeId from, Outbox& out) {
  if (phase_ != Phase::cutting || from != NodeId{Role::scheduler, 0}) return wrong(from, "CUT", out);
  recorder_->event("cut", {{"slices", std::to_string(cut.cut.slices.size())},
                           {"replicated", std::to_string(cut.cut.replicated.size())}});
  if (const Status checked = check_tables(cut.tables); !checked.ok()) return end(checked.code(), checked.what(), out);
  tell_ignored(cut.ignored);
  may_end_job_ = cut.may_end_job;
  plan_.slices = static_cast<std::uint32_t>(cut.cut.slices.size());
  dispatch_ = Dispatch(plan_.hosts, plan_.shards, plan_.slices, plan_.partitions, cut.tables);
  enter(Phase::preparing);
  out.send(workers_of(plan_), CutMade{cut.cut});
}

// Options that change nothing, and those that do so that no second run will be like this one.
void Training::tell_ignored(const std::vector<Ignored>& ignored) {
  std::set<std::string> names;
  for (const Ignored& one : ignored) {
    names.insert(one.option);
    recorder_->event("warning", {{"what", one.text()}});
  }
  if (plan_.time_control && !names.contains("step_budget_ms"))
    recorder_->event("not_reproducible", {{"why", "time control ends visits by the clock (--step_budget_ms)"}});
  if (plan_.asynchronous && !names.contains("asynchronous"))
    recorder_->event("not_reproducible", {{"why", "a push sees whatever commits have come (--asynchronous)"}});
}

void Training::on(const Ready&, NodeId from, Outbox& out) {
  const bool prepares = from.role == Role::worker || from.role == Role::partition;
  if (phase_ > Phase::preparing || !prepares || !ready_.insert(from).second) return wrong(from, "READY", out);
  if (ready_.size() == plan_.hosts.size() + plan_.partitions) begin_training(out);
}

void Training::begin_training(Outbox& out) {
  epochs_.begin(scheduling_epoch_);
  last_checkpoint_at_ = out.now();
  enter(Phase::training);
  if (scheduling_epoch_ > last_epoch_ || (plan_.resume && plan_.resume->ends_job)) return finish(out);
  epoch_began_ = out.now();
  turns_.begin(next_round_);
  out.send(roster_.schedulers(), Start{scheduling_epoch_, last_epoch_, next_round_});
}

// ---- rounds ----

void Training::on(const Rounds& rounds, NodeId from, Outbox& out) {
  if (phase_ == Phase::finishing) return;  // ahead, of epochs that do not come (--patience)
  if (phase_ != Phase::training || from.role != Role::scheduler) return wrong(from, "ROUNDS", out);
  if (!turns_.add(from.index, rounds)) return wrong(from, "ROUNDS out of order", out);
  while (auto turn = turns_.take()) {
    const bool ends_epoch = turn->round.ends_epoch;
    const Status status = dispatch_.add(next_round_, *std::move(turn), scheduling_epoch_);
    if (!status.ok()) return end(status.code(), status.what(), out);
    ++next_round_;
    if (ends_epoch) ++scheduling_epoch_;
  }
  for (const EpochFigures& one : rounds.figures) epochs_.add(from.index, one);
  give_out(out);
  end_epochs(out);
}

// Gives out all that is there, up to a boundary where something must be done first.
void Training::give_out(Outbox& out) {
  while (!boundary_ && dispatch_.front() != nullptr) {
    const auto [id, epoch] = std::pair(dispatch_.front()->id, dispatch_.front()->epoch);
    const auto [ends, ends_job] =
        std::pair(dispatch_.front()->turn.round.ends_epoch, dispatch_.front()->turn.round.ends_job);
    if (epoch > last_epoch_) break;
    if (ends_job) {
      last_epoch_ = epoch;
      ends_job_ = true;
    }
    epochs_.given_out(epoch);
    dispatch_.give_out();
    if (!ends) continue;
    last_round_[epoch] = id;
    const Boundary boundary = boundary_after(epoch, out.now());
    if (boundary.evaluate || boundary.save || boundary.last || may_end_job_) boundary_ = boundary;
  }
  send_tasks(out);
}

void Training::send_tasks(Outbox& out) {
  for (auto& [partition, expect] : dispatch_.take_expects()) out.send({Role::partition, partition}, std::move(expect));
  for (auto& [worker, tasks] : dispatch_.take_tasks()) out.send({Role::worker, worker}, std::move(tasks));
}

Training::Boundary Training::boundary_after(Epoch epoch, Nanoseconds now) const {
  Boundary boundary;
  boundary.epoch = epoch;
  boundary.last = epoch == last_epoch_ || stop_.has_value();
  boundary.evaluate = boundary.last || (plan_.eval_every > 0 && epoch % plan_.eval_every == 0);
  const bool is_due = plan_.checkpoint_every > 0 && epoch % plan_.checkpoint_every == 0 &&
                      now - last_checkpoint_at_ >= plan_.checkpoint_spacing;
  // A border costs more than it is worth if the checkpoint before will not be whole by then.
  const bool is_free = !checkpoint_ || (save_took_ && *save_took_ <= epoch_took_ / 2);
  boundary.save = boundary.last || hold_ || (is_due && is_free);
  return boundary;
}

void Training::on(const Committed& committed, NodeId from, Outbox& out) {
  if (from.role != Role::partition || !dispatch_.committed(committed.round, from.index))
    return wrong(from, "COMMITTED", out);
  tell_done(out);
}

void Training::tell_done(Outbox& out) {
  for (const auto& [scheduler, last] : dispatch_.take_done()) out.send({Role::scheduler, scheduler}, RoundsDone{last});
}

void Training::on(const EpochDone& done, NodeId from, Outbox& out) {
  if (from.role != Role::worker || !epochs_.add(from.index, done)) return wrong(from, "EPOCH_DONE", out);
  roster_.heard(from, done.memory, out.now());
  end_epochs(out);
}

// Ends every epoch that all workers and schedulers have ended, in order.
void Training::end_epochs(Outbox& out) {
  while (epochs_.next_is_over()) {
    epoch_took_ = out.now() - epoch_began_;
    const double took = seconds(epoch_took_);
    seconds_ += took;
    epoch_began_ = out.now();
    OpenEpochs::Over over = epochs_.take();
    record_ = std::move(over.record);
    record_.epochs = last_epoch_ == kNoEnd ? 0 : last_epoch_;
    record_.seconds = seconds_;
    record_.items_per_second = took > 0 ? static_cast<double>(record_.items) / took : 0;
    dispatch_.epoch_done(record_.epoch);
    tell_done(out);
    if (!boundary_ || boundary_->epoch != record_.epoch) {
      record_epoch(nullptr, out);
      continue;
    }
    if (over.ends_job) {
      last_epoch_ = record_.epochs = record_.epoch;
      ends_job_ = true;
    }
    if ((stop_ || over.ends_job) && !boundary_->last) boundary_->last = boundary_->evaluate = boundary_->save = true;
    if (boundary_->evaluate) return begin_evaluation(out);
    record_epoch(nullptr, out);
    if (boundary_->save) return begin_save(out);
    go_on(out);  // it was only waited for what the schedule says of it
  }
}

// ---- the end of an epoch ----

void Training::begin_evaluation(Outbox& out) {
  boundary_->stage = Boundary::Stage::evaluating;
  evaluation_.emplace(plan_.shards, plan_.slices, plan_.partitions, terms_.size());
  const bool visits = evaluating_pass_ && plan_.slices > 0;
  out.send(workers_of(plan_), Evaluate{boundary_->epoch, visits});
  out.send(partitions_of(plan_), Evaluate{boundary_->epoch});
  if (!visits) return;
  dispatch_.give_out_visits(boundary_->epoch);
  send_tasks(out);
}

void Training::on(const Evaluated& evaluated, NodeId from, Outbox& out) {
  if (!evaluation_ || evaluated.epoch != boundary_->epoch || !evaluation_->add(from, evaluated))
    return wrong(from, "EVALUATED", out);
  if (!evaluation_->complete()) return;
  const std::vector<double> total = evaluation_->total();
  evaluation_.reset();
  record_epoch(&total, out);
  if (phase_ == Phase::ended) return;
  if (boundary_->save)
    begin_save(out);
  else if (boundary_->last)
    finish_when_written(out);
  else
    go_on(out);
}

void Training::record_epoch(const std::vector<double>* terms, Outbox& out) {
  record_.items_unit = items_unit_;
  if (terms != nullptr) {
    record_.evaluated = true;
    fill_scores(terms_, scores_, *terms, items_, record_);
    follow_score();
  }
  record_.best = best_epoch_.best();
  recorder_->epoch(record_);
  if (terms == nullptr) return;
  for (const auto& [name, value] : record_.terms)
    if (!std::isfinite(value))
      return end(ExitCode::failed, "term " + name + " is not a finite number at epoch " + std::to_string(record_.epoch),
                 out);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (terms_[i].kind == Term::Kind::conserved && (*terms)[i] != static_cast<double>(items_))
      return end(ExitCode::bug,
                 terms_[i].name + " add up to " + std::to_string((*terms)[i]) + " at epoch " +
                     std::to_string(record_.epoch) + ", and the data has " + std::to_string(items_),
                 out);
  }
}

// The best epoch is saved, so that it can be the job's model in the end; a last one that is not the best need not be.
// What a signal has evaluated does not count: a job without that signal would not have asked.
void Training::follow_score() {
  const bool is_due = record_.epoch == last_epoch_ || (plan_.eval_every > 0 && record_.epoch % plan_.eval_every == 0);
  if (!best_epoch_.follows() || !is_due) return;
  const bool is_best = record_.valid && best_epoch_.add(record_.epoch, *record_.valid, held_out_score(scores_)->better);
  if (best_epoch_.over()) {
    last_epoch_ = record_.epoch;
    recorder_->event("early_stop", {{"epoch", std::to_string(record_.epoch)},
                                    {"best_epoch", std::to_string(best_epoch_.best()->epoch)},
                                    {"valid", std::to_string(best_epoch_.best()->valid)}});
  }
  boundary_->last = boundary_->last || record_.epoch == last_epoch_;
  if (is_best)
    boundary_->save = true;
  else if (record_.epoch == last_epoch_ && best_epoch_.best())
    boundary_->save = false;
}

void Training::begin_save(Outbox& out) {
  boundary_->stage = Boundary::Stage::saving;
  if (checkpoint_) return;  // of an earlier epoch, still being written: record_checkpoint() comes back here
  save_began_ = out.now();
  checkpoint_.emplace(plan_, boundary_->epoch);
  next_checkpoint_.epoch = boundary_->epoch;
  next_checkpoint_.record = record_;
  next_checkpoint_.next_round = last_round_.at(boundary_->epoch) + 1;
  next_checkpoint_.seconds = seconds_;
  next_checkpoint_.items = items_;
  next_checkpoint_.job = plan_.job;
  next_checkpoint_.ends_job = ends_job_ && boundary_->epoch == last_epoch_;
  const Save save{boundary_->epoch, 0};
  for (std::uint32_t p = 0; p < plan_.partitions; ++p)
    out.send({Role::partition, p}, Save{boundary_->epoch, checkpoint_->objects_of(p)});
  out.send(workers_of(plan_), save);
  out.send(roster_.schedulers(), save);
}

void Training::on(const Saved& saved, NodeId from, Outbox& out) {
  const bool saves = from.role == Role::worker || from.role == Role::scheduler;
  if (!checkpoint_ || saved.epoch != checkpoint_->epoch() || !saves || !checkpoint_->saved(from))
    return wrong(from, "SAVED", out);
  if (!checkpoint_->all_saved()) return;
  record_if_whole(out);
  if (!boundary_->last) go_on_behind_save(out);
}

// What was put is a copy: training goes on while the partitions write it.
void Training::go_on_behind_save(Outbox& out) {
  if (!hold_) return go_on(out);
  if (last_checkpoint_ && last_checkpoint_->epoch == boundary_->epoch) held_(out);
}

void Training::go_on(Outbox& out) {
  last_round_.erase(last_round_.begin(), last_round_.upper_bound(boundary_->epoch));
  boundary_.reset();
  epoch_began_ = out.now();
  give_out(out);
}

void Training::on(const Written& written, NodeId from, Outbox& out) {
  if (!checkpoint_ || written.epoch != checkpoint_->epoch() || from.role != Role::partition ||
      !RunFolder::is_partition_of(written.file, written.epoch, from.index) ||
      !checkpoint_->written(from.index, written))
    return wrong(from, "WRITTEN of " + written.file, out);
  if (written.apart) {
    const std::string due =
        (RunFolder{}.checkpoint(written.epoch).filename() / RunFolder::partition_file(from.index, plan_.era)).string();
    if (!copies_.possible() || written.file != due) return wrong(from, "WRITTEN of " + written.file, out);
    copies_.begin(from.index, {written.file, written.file_bytes, written.file_hash}, out);
  }
  record_if_whole(out);
}

void Training::on(const Chunk& chunk, NodeId from, Outbox& out) {
  if (from.role != Role::partition || !copies_.add(from.index, chunk, out)) return wrong(from, "CHUNK", out);
}

// Of its own file in the commit that the run goes on behind, and of no other.
void Training::on(const AskChunk& ask, NodeId from, Outbox& out) {
  const bool its_own = from.role == Role::partition && copies_.possible() && plan_.resume &&
                       from.index < plan_.resume->files.size() && is_chunk_of(ask, plan_.resume->files[from.index]);
  if (!its_own) return wrong(from, "ASK_CHUNK", out);
  copies_.give(from, ask, out);
}

void Training::record_if_whole(Outbox& out) {
  if (checkpoint_ && checkpoint_->all_saved() && checkpoint_->all_written() && copies_.complete())
    record_checkpoint(out);
}

void Training::record_checkpoint(Outbox& out) {
  checkpoint_->fill(next_checkpoint_);
  committing_ = true;
  out.start_io([this, recorder = recorder_, record = next_checkpoint_]() -> Continuation {
    Status status = recorder->commit(record);
    return [this, record, status = std::move(status)](Outbox& later) -> Status {
      committing_ = false;
      if (!status.ok()) {
        end(status.code(), status.what(), later);
        return {};
      }
      recorder_->event("checkpoint", {{"epoch", std::to_string(record.epoch)}, {"hash", record.model_hash.hex()}});
      checkpoint_.reset();
      last_checkpoint_ = record;
      if (record.record.best && record.record.best->epoch == record.epoch) best_checkpoint_ = record;
      if (phase_ == Phase::ended) return {};
      last_checkpoint_at_ = later.now();
      save_took_ = last_checkpoint_at_ - save_began_;
      // A signal that came while this was written: the epoch begun meanwhile is worth less than the wait for its end.
      const bool begun = !boundary_ || boundary_->stage == Boundary::Stage::running;
      if (stop_ && begun) finish(later);
      if (begun || boundary_->stage != Boundary::Stage::saving) return {};
      if (boundary_->save && boundary_->epoch != record.epoch)
        begin_save(later);
      else if (boundary_->last)
        finish(later);
      else
        go_on_behind_save(later);
      return {};
    };
  });
}

// ---- ending ----

// The last epoch is not saved itself; an earlier one may still be.
void Training::finish_when_written(Outbox& out) {
  boundary_->stage = Boundary::Stage::saving;
  if (!checkpoint_) finish(out);
}

std::optional<Ending> Training::stopped() const {
  if (!stop_) return std::nullopt;
  if (!last_checkpoint_) return stop_;
  const std::string of = last_epoch_ == kNoEnd ? "" : " of " + std::to_string(last_epoch_);
  return Ending{stop_->code,
                "stopped after epoch " + std::to_string(last_checkpoint_->epoch) + of + "; `rota resume` continues"};
}

void Training::finish(Outbox& out) {
  if (!last_checkpoint_) return end(ExitCode::bug, "the run ended without a checkpoint", out);
  if (record_.epoch < last_epoch_)
    if (const auto stopped = this->stopped()) return end(stopped->code, stopped->what, out);
  if (record_.converged == false) recorder_->event("warning", {{"what", "the job has ended before it converged"}});
  enter(Phase::finishing);
  const CommitRecord& commit = best_checkpoint_ ? *best_checkpoint_ : *last_checkpoint_;
  RunResult result{best_checkpoint_ ? commit.record : record_, commit, record_.epoch, seconds_, roster_.peak_memory()};
  result.peak_memory.emplace_back(kCoordinator.name(), out.world().memory);
  out.start_io([this, recorder = recorder_, result]() -> Continuation {
    Status status = recorder->finish(result);
    return [this, status = std::move(status)](Outbox& later) -> Status {
      if (phase_ == Phase::ended) return {};
      if (!status.ok())
        end(status.code(), status.what(), later);
      else
        end(ExitCode::ok, "done", later);
      return {};
    };
  });
}

void Training::end(ExitCode code, const std::string& what, Outbox& out) {
  if (phase_ == Phase::ended) return;
  phase_ = Phase::ended;
  end_(code, what, out);
}

void Training::wrong(NodeId from, const std::string& what, Outbox& out) {
  end(ExitCode::bug, "an unexpected " + what + " from " + from.name(), out);
}

}  // namespace rota
