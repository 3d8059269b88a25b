#include "coordinator/training.h"

#include "core/rounds/rules.h"

namespace rota {

namespace {

// Items, traffic and times of all workers.
void add_up(const std::map<std::uint32_t, EpochDone>& all, EpochRecord& record) {
  const auto seconds = [](std::uint64_t ns) { return seconds_of(static_cast<Nanoseconds>(ns)); };
  double slowest = -1;
  for (const auto& [worker, done] : all) {
    const double compute = seconds(done.compute_ns), wire = seconds(done.wire_ns), wait = seconds(done.wait_ns);
    record.items += done.items;
    record.bytes_sent += done.bytes_sent;
    record.slice_bytes += done.slice_bytes;
    record.exchange_bytes += done.exchange_bytes;
    record.workers.push_back({compute, wire, wait, done.bytes_sent, done.memory, done.peak_memory});
    if (compute > slowest) {
      slowest = compute;
      record.slowest = NodeId{Role::worker, worker}.name();
      record.waiting_share = compute + wire + wait > 0 ? wait / (compute + wire + wait) : 0;
    }
  }
}

}  // namespace

void OpenEpochs::add(std::uint32_t scheduler, const EpochFigures& figures) {
  const std::string prefix = schedulers_ > 1 ? NodeId{Role::scheduler, scheduler}.name() + "." : "";
  Scheduled& epoch = scheduled_[figures.epoch];
  ++epoch.schedulers;
  for (const Figure& figure : figures.figures) epoch.figures.emplace_back(prefix + figure.name, figure.value);
  merge_answers(epoch.converged, figures.converged);
  merge_answers(epoch.ends_job, figures.ends_job);
}

std::optional<bool> OpenEpochs::ends_job(Epoch epoch) const {
  const auto scheduled = scheduled_.find(epoch);
  if (scheduled == scheduled_.end() || scheduled->second.schedulers < schedulers_) return std::nullopt;
  return scheduled->second.ends_job == true;
}

bool OpenEpochs::add(std::uint32_t worker, const EpochDone& done) {
  const auto epoch = done_.find(done.epoch);
  return epoch != done_.end() && epoch->second.emplace(worker, done).second;
}

bool OpenEpochs::next_is_over() const {
  const auto done = done_.find(next_);
  const auto scheduled = scheduled_.find(next_);
  return done != done_.end() && done->second.size() == workers_ && scheduled != scheduled_.end() &&
         scheduled->second.schedulers == schedulers_;
}

OpenEpochs::Over OpenEpochs::take() {
  Over over;
  EpochRecord& record = over.record;
  record.epoch = next_;
  add_up(done_.extract(next_).mapped(), record);
  Scheduled scheduled = std::move(scheduled_.extract(next_).mapped());
  record.figures = std::move(scheduled.figures);
  record.converged = scheduled.converged;
  over.ends_job = scheduled.ends_job == true;
  ++next_;
  return over;
}

Training::Training(RunPlan plan, std::shared_ptr<Recorder> recorder, Membership& members, End end, Held held)
    : plan_(std::move(plan)),
      recorder_(std::move(recorder)),
      members_(members),
      end_(std::move(end)),
      held_(std::move(held)),
      epoch_end_(plan_, recorder_, members_.hosts(), preparation_.description(), dispatch_,
                 [this](Result<EpochEnd::Next> next, Outbox& out) { continue_with(std::move(next), out); }) {
  if (!plan_.resume) return;
  next_round_ = plan_.resume->next_round;
  seconds_ = plan_.resume->seconds;
}

Status Training::step(const Envelope& in, Outbox& out) {
  return handle<Loaded, CutMade, Ready, Rounds, EpochDone, Evaluated, Saved, Written, Chunk, AskChunk>(
      in, [&](const auto& message) { return on(message, in.from, out); });
}

// ---- rounds ----

void Training::begin_rounds(Outbox& out) {
  const JobDescription& description = preparation_.description();
  dispatch_ = Dispatch(members_.hosts(), plan_.shards, plan_.slices, plan_.partitions, description.tables);
  scheduling_epoch_ = plan_.resume ? plan_.resume->epoch + 1 : description.loaded.starting_pass ? 0 : 1;
  const Epoch last = plan_.epochs > 0                ? plan_.epochs
                     : description.loaded.epochs > 0 ? description.loaded.epochs
                                                     : kNoLastEpoch;
  epochs_.begin(scheduling_epoch_);
  epoch_end_.begin(last, out.now());
  enter(phase_, Phase::training, *recorder_);
  if (scheduling_epoch_ > last || (plan_.resume && plan_.resume->ends_job)) return finish(out);
  epoch_began_ = out.now();
  turns_.begin(next_round_);
  out.send(plan_.scheduler_nodes(), Start{scheduling_epoch_, last, next_round_});
}

Status Training::on(const Rounds& rounds, NodeId from, Outbox& out) {
  if (phase_ == Phase::finishing) return {};  // ahead, of epochs that do not come (--patience)
  if (phase_ != Phase::training || from.role != Role::scheduler) return unexpected(rounds.kind, from);
  if (!turns_.add(from.index, rounds)) return {ExitCode::bug, "an unexpected ROUNDS out of order from " + from.name()};
  while (auto turn = turns_.take()) {
    const bool ends_epoch = turn->round.ends_epoch;
    ROTA_TRY(dispatch_.add(next_round_, *std::move(turn), scheduling_epoch_));
    ++next_round_;
    if (ends_epoch) ++scheduling_epoch_;
  }
  for (const EpochFigures& one : rounds.figures) {
    epochs_.add(from.index, one);
    if (const auto ends_job = epochs_.ends_job(one.epoch)) epoch_end_.known(one.epoch, *ends_job);
  }
  give_out(out);
  return end_epochs(out);
}

// Gives out all that is there, up to the end of an epoch after which something must be done first.
void Training::give_out(Outbox& out) {
  while (!epoch_end_.blocks() && dispatch_.front() != nullptr) {
    const auto [id, epoch] = std::pair(dispatch_.front()->id, dispatch_.front()->epoch);
    const auto [ends, ends_job] =
        std::pair(dispatch_.front()->turn.round.ends_epoch, dispatch_.front()->turn.round.ends_job);
    if (epoch > epoch_end_.last_epoch()) break;
    epochs_.given_out(epoch);
    dispatch_.give_out();
    if (ends) epoch_end_.given_out(epoch, id, ends_job, out.now());
  }
  dispatch_.send(out);
  epoch_end_.tasks_sent(out);
}

Status Training::on(const EpochDone& done, NodeId from, Outbox& out) {
  if (from.role != Role::worker || !epochs_.add(from.index, done)) return unexpected(done.kind, from);
  members_.roster().confirm_alive(from, done.peak_memory, out.now());
  return end_epochs(out);
}

// Ends every epoch that all workers and schedulers have ended, in order.
Status Training::end_epochs(Outbox& out) {
  while (epochs_.next_is_over() && !epoch_end_.under_way()) {
    const Nanoseconds took = out.now() - epoch_began_;
    const double took_seconds = seconds_of(took);
    seconds_ += took_seconds;
    epoch_began_ = out.now();
    OpenEpochs::Over over = epochs_.take();
    over.record.seconds = seconds_;
    over.record.items_per_second = took > 0 ? static_cast<double>(over.record.items) / took_seconds : 0;
    out.send(plan_.scheduler_nodes(), EpochOver{over.record.epoch});
    ROTA_TRY(epoch_end_.over(std::move(over.record), over.ends_job, took, out));
  }
  return {};
}

void Training::continue_with(Result<EpochEnd::Next> next, Outbox& out) {
  if (phase_ == Phase::ended) return;
  if (!next.ok()) return end(next.status().code(), next.status().what(), out);
  switch (*next) {
    case EpochEnd::Next::epoch:
      epoch_began_ = out.now();
      return give_out(out);
    case EpochEnd::Next::hold:
      return held_(out);
    case EpochEnd::Next::finish:
      return finish(out);
  }
}

// ---- ending ----

void Training::finish(Outbox& out) {
  const EpochRecord& record = newest();
  if (!last_checkpoint()) return end(ExitCode::bug, "the run ended without a checkpoint", out);
  if (record.epoch < epoch_end_.last_epoch())
    if (const auto stopped = this->stopped()) return end(stopped->code, stopped->what, out);
  if (record.converged == false) recorder_->event("warning", {{"what", "the job has ended before it converged"}});
  enter(phase_, Phase::finishing, *recorder_);
  RunResult result{best_checkpoint() ? model()->record : record, *model(), record.epoch, seconds_,
                   members_.roster().peak_memory()};
  result.peak_memory.emplace_back(kCoordinator.name(), out.world().memory);
  out.start_io([this, recorder = recorder_, result]() -> Continuation {
    Status status = recorder->finish(result);
    return [this, status = std::move(status)](Outbox& later) -> Status {
      status.ok() ? end(ExitCode::ok, "done", later) : end(status.code(), status.what(), later);
      return {};
    };
  });
}

}  // namespace rota
