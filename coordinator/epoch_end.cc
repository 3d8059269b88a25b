#include "coordinator/epoch_end.h"

#include <cmath>
#include <string>
#include <utility>

namespace rota {

EpochEnd::EpochEnd(const RunPlan& plan, std::shared_ptr<Recorder> recorder, const ShardHosts& hosts,
                   const JobDescription& description, Dispatch& dispatch, Then then)
    : plan_(plan),
      recorder_(std::move(recorder)),
      hosts_(hosts),
      description_(description),
      dispatch_(dispatch),
      then_(std::move(then)),
      checkpoints_(plan, recorder_, hosts, [this](const Status& status, std::optional<Epoch> committed, Outbox& out) {
        checkpoint_progressed(status, committed, out);
      }) {}

void EpochEnd::given_out(Epoch epoch, RoundId round, bool ends_job, Nanoseconds now) {
  if (ends_job) {
    last_ = epoch;
    ends_job_ = true;
  }
  Boundary boundary{epoch, round + 1};
  boundary.last = epoch == last_ || stop_.has_value();
  boundary.evaluate = boundary.last || evaluates(epoch);
  const bool is_due = plan_.checkpoint_every > 0 && epoch % plan_.checkpoint_every == 0 &&
                      now - last_checkpoint_at_ >= plan_.checkpoint_spacing;
  // A boundary costs more than it is worth if the checkpoint before will not be whole by then.
  const bool is_free = !checkpoints_.writing() || (checkpoints_.took() && *checkpoints_.took() <= took_ / 2);
  boundary.save = boundary.last || hold_ || (is_due && is_free);
  if (boundary.evaluate || boundary.save || boundary.last || description_.may_end_job) boundary_ = boundary;
}

Status EpochEnd::over(EpochRecord record, bool ends_job, Nanoseconds took, Outbox& out) {
  record_ = std::move(record);
  record_.epochs = last_ == kNoLastEpoch ? 0 : last_;
  record_.items_unit = description_.loaded.items_unit;
  took_ = took;
  if (!boundary_ || boundary_->epoch != record_.epoch) return record_epoch(out);
  if (ends_job) {
    last_ = record_.epochs = record_.epoch;
    ends_job_ = true;
  }
  if ((stop_ || ends_job) && !boundary_->last) boundary_->last = boundary_->evaluate = boundary_->save = true;
  return advance(out);
}

// The one place that decides what comes next, called after everything that could change it: when the epoch is over, and
// when an evaluation or a checkpoint has come further.
Status EpochEnd::advance(Outbox& out) {
  Boundary& boundary = *boundary_;
  if (boundary.stage == Stage::computing && boundary.evaluate) {
    boundary.stage = Stage::evaluating;
    boundary.evaluates_since = out.now();
    if (!boundary.evaluation) ask_for_evaluation(out);
  }
  if (boundary.stage == Stage::evaluating && !boundary.evaluation->complete()) return {};
  if (boundary.stage != Stage::saving) {
    boundary.stage = Stage::saving;
    ROTA_TRY(record_epoch(out));
  }
  if (boundary.save && !checkpoints_.begun(boundary.epoch)) {
    if (checkpoints_.writing()) return {};  // of an earlier epoch
    begin_save(out);
  }
  if (boundary.save && !checkpoints_.saved(boundary.epoch)) return {};
  if (boundary.last) {
    if (!checkpoints_.writing()) then_(Next::finish, out);
  } else if (hold_ && boundary.save) {
    if (checkpoints_.committed(boundary.epoch)) then_(Next::hold, out);
  } else {
    // What was put is a copy: training continues while the partitions write it.
    boundary_.reset();
    then_(Next::epoch, out);
  }
  return {};
}

void EpochEnd::checkpoint_progressed(const Status& status, std::optional<Epoch> committed, Outbox& out) {
  if (!status.ok()) return then_(status, out);
  if (committed) {
    last_checkpoint_at_ = out.now();
    // A signal that came while this was written: the epoch begun meanwhile is worth less than the wait for its end.
    if (stop_ && !under_way()) return then_(Next::finish, out);
  }
  if (!boundary_ || boundary_->stage != Stage::saving) return;
  if (const Status advanced = advance(out); !advanced.ok()) then_(advanced, out);
}

void EpochEnd::stop(const Ending& why) {
  if (stop_) return;
  stop_ = why;
  recorder_->event("stopping",
                   {{"why", why.what},
                    {"when", checkpoints_.writing() ? "when the checkpoint is written" : "at the end of the epoch"}});
  // An epoch that is over already is the last, wherever its end is.
  if (under_way()) boundary_->last = boundary_->save = true;
}

std::optional<Ending> EpochEnd::stopped() const {
  const auto& last = checkpoints_.last();
  if (!stop_ || !last) return stop_;
  const std::string of = last_ == kNoLastEpoch ? "" : " of " + std::to_string(last_);
  return Ending{stop_->code, "stopped after epoch " + std::to_string(last->epoch) + of + "; `rota resume` continues"};
}

// ---- evaluation ----

void EpochEnd::ask_for_evaluation(Outbox& out) {
  boundary_->evaluation.emplace(plan_.shards, plan_.slices, plan_.partitions, description_.loaded.terms.size());
  out.send(hosts_.nodes(), Evaluate{boundary_->epoch, visits()});
  out.send(plan_.partition_nodes(), Evaluate{boundary_->epoch});
  if (!visits()) return;
  dispatch_.give_out_visits(boundary_->epoch);
  dispatch_.send(out);
}

void EpochEnd::report_long_evaluation(Nanoseconds now) {
  constexpr Nanoseconds kLong = 2 * kSecond;
  if (!boundary_ || boundary_->stage != Stage::evaluating || now - boundary_->evaluates_since < kLong) return;
  if (!std::exchange(boundary_->reported, true)) recorder_->event("evaluating", {{"epoch", boundary_->epoch}});
}

Status EpochEnd::on(const Evaluated& evaluated, NodeId from, Outbox& out) {
  const bool expected = boundary_ && boundary_->evaluation && evaluated.epoch == boundary_->epoch;
  if (!expected || !boundary_->evaluation->add(from, evaluated)) return unexpected(evaluated.kind, from);
  return under_way() ? advance(out) : Status();
}

// With what its evaluation has found, if there was one.
Status EpochEnd::record_epoch(Outbox& out) {
  std::vector<double> terms;
  record_.evaluated = boundary_ && boundary_->epoch == record_.epoch && boundary_->evaluation;
  if (record_.evaluated) {
    terms = boundary_->evaluation->total();
    fill_scores(description_.loaded.terms, description_.loaded.scores, terms, description_.found.items, record_);
    follow_score();
  }
  record_.best = best_epoch_.best();
  // The next epoch does not wait for it; what the run's end writes comes after it.
  if (boundary_ && boundary_->last)
    recorder_->epoch(record_);
  else
    out.after_sending([recorder = recorder_, record = record_] { recorder->epoch(record); });
  return record_.evaluated ? check_terms(terms) : Status();
}

Status EpochEnd::check_terms(const std::vector<double>& terms) const {
  const std::string at = " at epoch " + std::to_string(record_.epoch);
  for (const auto& [name, value] : record_.terms)
    if (!std::isfinite(value)) return {ExitCode::failed, "term " + name + " is not a finite number" + at};
  const std::uint64_t items = description_.found.items;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (description_.loaded.terms[i].kind == Term::Kind::conserved && terms[i] != static_cast<double>(items))
      return {ExitCode::bug, description_.loaded.terms[i].name + " add up to " + std::to_string(terms[i]) + at +
                                 ", and the data has " + std::to_string(items)};
  return {};
}

// The best epoch is saved, so that it can be the job's model in the end; a last one that is not the best need not be.
// What a signal has evaluated does not count: a job without that signal would not have asked.
void EpochEnd::follow_score() {
  const bool is_due = record_.epoch == last_ || evaluates(record_.epoch);
  if (!best_epoch_.follows() || !is_due) return;
  const bool is_best = record_.valid && best_epoch_.add(record_.epoch, *record_.valid,
                                                        held_out_score(description_.loaded.scores)->better);
  if (best_epoch_.over()) {
    last_ = record_.epoch;
    const BestSoFar& best = *best_epoch_.best();
    recorder_->event("early_stop", {{"epoch", record_.epoch}, {"best_epoch", best.epoch}, {"valid", best.valid}});
  }
  boundary_->last = boundary_->last || record_.epoch == last_;
  if (is_best)
    boundary_->save = true;
  else if (record_.epoch == last_ && best_epoch_.best())
    boundary_->save = false;
}

void EpochEnd::begin_save(Outbox& out) {
  CommitRecord commit = description_.found;
  commit.epoch = boundary_->epoch;
  commit.record = record_;
  commit.next_round = boundary_->next_round;
  commit.seconds = record_.seconds;
  commit.ends_job = ends_job_ && boundary_->epoch == last_;
  checkpoints_.begin(std::move(commit), out);
}

}  // namespace rota
