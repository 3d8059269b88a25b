#include "scheduler/scheduler.h"

#include "core/base/seed.h"
#include "core/checkpoint/cut.h"
#include "core/job/plugin_host.h"
#include "core/job/tables.h"
#include "core/rounds/placement.h"
#include "core/rounds/rules.h"

namespace rota {

// A schedule that needs no feedback is asked this many epochs ahead, so that the end of one epoch and the beginning of
// the next overlap.
constexpr std::size_t kEpochsAhead = 2;
// Rounds in one message, and in one epoch without feedback: a schedule that never ends its epoch must not fill the
// memory.
constexpr std::size_t kRoundsInMessage = 4096;
constexpr std::uint64_t kRoundsAheadMost = std::uint64_t{1} << 26;

Scheduler::Scheduler(std::shared_ptr<const HostedApp> app)
    : app_(std::move(app)), plugin_(app_->plugin), job_(app_->job) {}

Status Scheduler::step(const Envelope& in, Outbox& out) {
  return handle<Welcome, JobFacts, Start, RoundFeedback, EpochOver, Save, Fetched>(
      in, [&](const auto& message) { return on(message, in.from, out); });
}

Status Scheduler::on(const Welcome& welcome, NodeId, Outbox&) {
  resume_ = welcome.resume;
  return {};
}

Status Scheduler::on(const JobFacts& message, NodeId from, Outbox& out) {
  if (schedule_ != nullptr) return unexpected(message.kind, from);
  std::vector<Table> tables;
  ROTA_TRY(call_hook(plugin_.name, "schedule", id().name(), [&] {
    const Facts facts(message.facts);
    tables = tables_of(*app_->app, job_, facts);
    schedule_ = app_->app->schedule(facts, Share{job_.index, job_.schedulers});
    pipeline_ = schedule_->pipeline(job_.pipeline);
    wish_ = schedule_->wish();
    may_end_job_ = schedule_->may_end_job();
    dataflows_ = app_->app->dataflows(facts).size();
    if (plugin_.sliced) cut_ = schedule_->cut(message.census, job_.slices);
  }));
  feedbacks_.emplace(tables, job_.partitions, wish_);
  if (plugin_.sliced && cut_.slices.size() != job_.slices)
    return {ExitCode::failed, "schedule: a cut into " + std::to_string(cut_.slices.size()) + " slices, wanted were " +
                                  std::to_string(job_.slices)};
  if (job_.index > 0) return {};
  std::vector<IgnoredOption> ignored = job_.ignored;
  if (job_.pipeline > 0 && pipeline_ != job_.pipeline)
    ignored.push_back({"pipeline", pipeline_ == 0
                                       ? "this schedule waits for no feedback"
                                       : "this schedule has " + std::to_string(pipeline_) + " rounds out at a time"});
  out.send(kCoordinator, CutMade{cut_, std::move(tables), ignored, may_end_job_});
  return {};
}

Status Scheduler::on(const Start& start, NodeId from, Outbox& out) {
  if (schedule_ == nullptr) return unexpected(start.kind, from);
  epoch_ = epochs_done_ = start.epoch;
  last_epoch_ = start.last;
  next_ = start.round;
  started_ = true;
  if (!resume_) return schedule_more(out);
  out.send({Role::partition, partition_of_object(job_.index, job_.partitions)}, Fetch{Object::schedule, job_.index});
  return {};
}

Status Scheduler::on(const Fetched& fetched, NodeId from, Outbox& out) {
  if (schedule_ == nullptr) return unexpected(fetched.kind, from);
  Reader in(fetched.bytes.view());
  ROTA_TRY(call_hook(plugin_.name, "Schedule::restore", id().name(), [&] { schedule_->restore(in); }));
  if (!in.done()) return {ExitCode::disk, "the schedule's state in the checkpoint is damaged"};
  restored_ = true;
  return schedule_more(out);
}

// Whether the next round may be chosen now.  One that is chosen on feedback waits for exactly as much of it as the
// pipeline says, so what the schedule has seen at every choice does not depend on which process was fast.
bool Scheduler::may_choose() const {
  if (!started_ || epoch_ > last_epoch_ || (ended_ && !epoch_ending_)) return false;
  if (resume_ && !restored_) return false;
  if (epoch_ >= epochs_done_ + kEpochsAhead) return false;
  return fed_back_ + committed_.size() >= feedback_needed();
}

std::uint64_t Scheduler::feedback_needed() const {
  return epoch_ending_ && pipeline_ > 0 ? chosen_ : feedback_due(chosen_, pipeline_);
}

Status Scheduler::schedule_more(Outbox& out) {
  while (may_choose()) {
    Rounds rounds;
    rounds.first = next_;
    if (pipeline_ > 0) rounds.feedback = wish_;
    while (may_choose() && rounds.rounds.size() < kRoundsInMessage) ROTA_TRY(choose(rounds));
    out.send(kCoordinator, std::move(rounds));
  }
  if (to_save_ && states_.contains(*to_save_)) {
    put_state(*to_save_, out);
    to_save_.reset();
  }
  return {};
}

Status Scheduler::feed_back() {
  while (fed_back_ < feedback_needed()) {
    const RoundDeltas& round = committed_.front();
    const std::vector<Delta> deltas = round.deltas();
    ROTA_TRY(call_hook(plugin_.name, "Schedule::feedback", "round " + std::to_string(round.rows.round),
                       [&] { schedule_->feedback(round.commit(deltas)); }));
    committed_.pop_front();
    ++fed_back_;
  }
  return {};
}

// One step: the end of an epoch whose feedback is in, or the next round.
Status Scheduler::choose(Rounds& rounds) {
  ROTA_TRY(feed_back());
  if (epoch_ending_) return end_epoch(rounds);
  if (rounds_ - fed_back_ > kRoundsAheadMost)
    return {ExitCode::failed, "schedule: epoch " + std::to_string(epoch_) + " has no end"};
  if (rounds_ == 0) random_ = random_for(job_.seed, Stream::schedule, epoch_, job_.index, 0);
  Round round;
  ROTA_TRY(call_hook(plugin_.name, "Schedule::next", "round " + std::to_string(next_),
                     [&] { round = schedule_->next(random_); }));
  ROTA_TRY(check_dataflow(next_, round, dataflows_));
  round.ends_epoch = round.ends_epoch || round.ends_job;
  // Of several, each continues until all end the job in the same epoch.
  ended_ = round.ends_job && job_.schedulers == 1;
  if (is_shared(round) && pipeline_ > 0) {
    const SharedRows rows{next_, round.table, round.shared, round.blocks, round.argument, round.open};
    ROTA_TRY(feedbacks_->begin(rows));
    ++chosen_;
  }
  epoch_ending_ = round.ends_epoch;
  rounds.rounds.push_back(std::move(round));
  ++next_;
  ++rounds_;
  return epoch_ending_ && pipeline_ == 0 ? end_epoch(rounds) : Status();
}

Status Scheduler::end_epoch(Rounds& rounds) {
  const std::string where = "epoch " + std::to_string(epoch_);
  Writer state;
  EpochFigures figures{epoch_, {}, {}, false};
  ROTA_TRY(call_hook(plugin_.name, "Schedule::figures", where, [&] { figures.figures = schedule_->figures(); }));
  ROTA_TRY(call_hook(plugin_.name, "Schedule::converged", where, [&] { figures.converged = schedule_->converged(); }));
  if (may_end_job_)
    ROTA_TRY(call_hook(plugin_.name, "Schedule::ends_job", where, [&] { figures.ends_job = schedule_->ends_job(); }));
  // Of several, each continues until all end the job with the same epoch.
  if (job_.schedulers == 1) ended_ = ended_ || figures.ends_job;
  ROTA_TRY(call_hook(plugin_.name, "Schedule::save", where, [&] { schedule_->save(state); }));
  rounds.figures.push_back(std::move(figures));
  states_[epoch_++] = state.take();
  epoch_ending_ = false;
  rounds_ = chosen_ = fed_back_ = 0;
  return {};
}

Status Scheduler::on(const EpochOver& over, NodeId, Outbox& out) {
  epochs_done_ = over.epoch + 1;
  states_.erase(states_.begin(), states_.lower_bound(over.epoch));  // no epoch before it can be saved any more
  return schedule_more(out);
}

Status Scheduler::on(const RoundFeedback& feedback, NodeId from, Outbox& out) {
  if (!feedbacks_) return unexpected(feedback.kind, from);
  ROTA_ASSIGN(auto rounds, feedbacks_->add(from.index, feedback));
  for (RoundDeltas& round : rounds) committed_.push_back(std::move(round));
  return schedule_more(out);
}

Status Scheduler::on(const Save& save, NodeId, Outbox& out) {
  to_save_ = save.epoch;
  return schedule_more(out);
}

void Scheduler::put_state(Epoch epoch, Outbox& out) {
  const auto put = [&](Object object, std::uint64_t number, std::uint32_t partition, std::vector<std::byte> bytes) {
    const Bytes shared = Bytes::from(std::move(bytes));
    out.send({Role::partition, partition}, Put{epoch, object, number, hash128(shared.view()), shared});
  };
  put(Object::schedule, job_.index, partition_of_object(job_.index, job_.partitions), states_[epoch]);
  if (job_.index == 0) {
    Writer cut;
    encode_cut(cut_, cut);
    put(Object::cut, 0, 0, cut.take());
  }
  states_.erase(states_.begin(), states_.upper_bound(epoch));
  out.send(kCoordinator, Saved{epoch});
}

}  // namespace rota
