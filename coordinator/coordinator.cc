#include "coordinator/coordinator.h"

#include <utility>

#include "core/base/failpoint.h"

namespace rota {

// What a batch system or a launcher sends is often sent twice: to the whole group, and handed on.
constexpr Nanoseconds kSameSignal = kSecond;

Coordinator::Coordinator(RunPlan plan, std::shared_ptr<Recorder> recorder)
    : plan_(std::move(plan)), recorder_(std::move(recorder)), members_(plan_, *recorder_) {}

Status Coordinator::step(const Envelope& in, Outbox& out) {
  if (phase_ == Phase::ended) return {};
  // All may join, and ask; a process that was not admitted cannot change the run.
  const bool opens_contact = std::holds_alternative<Hello>(in.message) || std::holds_alternative<AskStatus>(in.message);
  const bool takes_part = in.from == kCoordinator || members_.roster().contains(in.from) ||
                          (in.from.role == Role::partition && in.from.index < plan_.partitions);
  if (!opens_contact && !takes_part) {
    recorder_->event("ignored", {{"role", in.from.name()}, {"what", kind_name(kind_of(in.message))}});
    // Others have taken its place, and it has no message of that.
    if (!members_.first_era() && in.from.role == Role::worker)
      out.send(in.from, Stop{ExitCode::temporary, "the run continues without " + in.from.name()});
    return {};
  }
  const Status handled = handle<Hello, Beat, Fault, Stop, HasRead, AskStatus>(
      in, [&](const auto& message) { return on(message, in.from, out); },
      [&]() -> Status {
        if (phase_ == Phase::training) return training_->step(in, out);
        // Messages of an era that was left are without effect.
        return members_.first_era() ? unexpected(kind_of(in.message), in.from) : Status();
      });
  if (!handled.ok()) end(handled.code(), handled.what(), out);
  return {};
}

Status Coordinator::tick(Outbox& out) {
  if (phase_ == Phase::gathering) gather(out);
  if (phase_ == Phase::recovering || phase_ == Phase::migrating) roll_back(out);
  if (phase_ != Phase::training) return {};
  training_->tick(out.now());
  const bool trains = training_->trains() && !finishing();
  auto lost = members_.roster().lost(out.now());
  if (!lost) lost = members_.roster().stuck(plan_.era, members_.hosts(), trains, out.now());
  if (lost) {
    const Ending why = members_.describe_loss(*lost);
    lose(lost->process, why, out);
    if (lost->lives) dismiss(lost->process, why, out);
  } else if (trains && !stopped()) {
    members_.plan_moves(training_->newest(), out);
  }
  return {};
}

// ---- losses ----

// A process of a run that has begun is gone.  What was not committed is lost with it, and computed again.
void Coordinator::lose(NodeId process, const Ending& why, Outbox& out) {
  if (finishing()) return members_.roster().leave(process);
  if (plan_.on_loss == OnLoss::stop) return end(why.code, why.what, out);
  if (const auto stop = stopped()) return end(stop->code, stop->what, out);
  if (const auto crash = members_.crash_of(process); crash && !crashes_.insert(*crash).second)
    return end(ExitCode::bug, why.what + ", for the second time", out);
  const std::uint64_t pid = members_.roster().pid(process);
  members_.drop(process);
  recorder_->event("lost", {{"role", process.name()}, {"pid", pid}, {"why", why.what}});
  if (!members_.hosts(process)) return;  // the job does not need it
  if (!loss_) loss_ = why;
  if (phase_ == Phase::training) leave_era(Phase::recovering, out);
}

// It lives, and is to end, so that it can be restarted.
void Coordinator::dismiss(NodeId process, const Ending& why, Outbox& out) {
  if (phase_ == Phase::ended) return;
  members_.roster().dismiss(process);
  out.send(process, Stop{why.code, why.what});
}

Status Coordinator::peer_disconnected(NodeId process, Outbox& out) {
  if (phase_ == Phase::ended) return {};
  members_.roster().disconnected(process, out.now());
  if (phase_ != Phase::training || !members_.roster().contains(process)) return {};
  // A process that crashed does not come back.
  if (const auto crash = members_.crash_of(process))
    lose(process, {ExitCode::bug, members_.roster().describe(process) + *crash}, out);
  return {};
}

// Another era follows, after the newest checkpoint.
void Coordinator::leave_era(Phase phase, Outbox& out) {
  training_->set_aside();
  gathers_since_ = out.now();
  enter(phase_, phase, *recorder_);
  roll_back(out);
}

void Coordinator::roll_back(Outbox& out) {
  members_.drop_lost(out.now());
  if (rewinding_ || training_->committing()) return;
  plan_.resume = training_->last_checkpoint();
  plan_.best = training_->best_checkpoint();
  rewinding_ = true;
  const auto after = plan_.resume ? std::optional(plan_.resume->epoch) : std::nullopt;
  const std::string to = after ? "the checkpoint of epoch " + std::to_string(*after) : "the beginning";
  if (loss_) recorder_->event("rollback", {{"to", to}, {"epoch", after.value_or(0)}});
  out.start_io([this, after, lost = loss_.has_value(), recorder = recorder_, plan = plan_]() -> Continuation {
    failpoint("rollback.begun");
    const Status status =
        lost ? recorder->roll_back(after) : Status();  // nothing is recorded after a checkpoint just made
    auto era = Result<std::uint64_t>(plan.era + 1);
    if (!status.ok()) era = status;
    if (status.ok() && plan.next_era) era = plan.next_era();
    failpoint("rollback.era");
    return [this, era = std::move(era)](Outbox& later) -> Status {
      rewinding_ = false;
      if (phase_ == Phase::ended) return {};
      if (!era.ok()) {
        end(era.status().code(), era.status().what(), later);
        return {};
      }
      plan_.era = *era;
      training_.reset();
      phase_ = Phase::gathering;
      gather(later);
      return {};
    };
  });
}

// ---- joining ----

// While others are awaited nothing is lost with a process: it may come back, or be restarted.
void Coordinator::gather(Outbox& out) {
  if (gathers_since_ == 0) gathers_since_ = out.now();
  const Nanoseconds waited = out.now() - gathers_since_;
  const Roster& roster = members_.roster();
  const std::string missing = roster.missing();  // all have waited for these, not for one that falls silent now
  members_.drop_lost(out.now());
  members_.wait_for_missing(waited);
  const std::string too_few = members_.too_few();
  if (roster.complete() && too_few.empty()) return begin_era(out);
  if (roster.complete() && !std::exchange(paused_, true)) recorder_->event("paused", {{"why", too_few}});
  if (waited < (members_.first_era() ? plan_.start_timeout : plan_.rejoin_timeout)) return;
  if (roster.complete()) return end(ExitCode::temporary, too_few + ", and no other has joined", out);
  const std::string absent = missing.empty() ? roster.missing() : missing;
  if (loss_) return end(loss_->code, loss_->what + "; no replacement joined for " + absent, out);
  end(ExitCode::temporary, "these have not joined: " + absent, out);
}

void Coordinator::begin_era(Outbox& out) {
  phase_ = Phase::training;
  loss_.reset();
  paused_ = false;
  members_.begin_era(out);
  training_ = std::make_unique<Training>(
      plan_, recorder_, members_,
      [this](ExitCode code, const std::string& what, Outbox& later) { end(code, what, later); },
      [this](Outbox& later) { leave_era(Phase::migrating, later); });
  training_->begin(out);
}

Status Coordinator::on(const Hello& hello, NodeId from, Outbox& out) {
  const bool trains = phase_ == Phase::training;
  const bool open = plan_.on_loss != OnLoss::stop && !finishing();
  bool additional = open && members_.is_additional(from);
  const auto lose_it = [&](const std::string& how) {
    if (!additional && members_.roster().contains(from))
      lose(from, {ExitCode::temporary, members_.roster().describe(from) + " was lost: " + how}, out);
  };
  if (trains && !additional && (!open || !members_.roster().contains(from))) {
    out.send(from, Refuse{ExitCode::temporary, "the run has begun without " + from.name()});
    lose_it("it restarted during the run");
    return {};
  }
  std::optional<Ending> before;
  if (trains && !additional)
    before = members_.describe_loss({from, members_.roster().describe(from) + " was lost: it restarted"});
  if (const Status fits = members_.roster().check(from, hello); !fits.ok()) {
    recorder_->event("refused", {{"role", from.name()}, {"why", fits.what()}});
    out.send(from, Refuse{fits.code(), fits.what()});
    lose_it("a start that was refused took its place");
    return {};
  }
  if (before) lose(from, *before, out);
  if (phase_ == Phase::ended) return {};
  additional = open && members_.is_additional(from);
  members_.admit(from, hello, out.now());
  stopped_by_.erase(from);  // an earlier start of it had that signal
  if (phase_ == Phase::gathering)
    gather(out);
  else if (phase_ == Phase::training && additional)
    out.send(from, members_.welcome());
  return {};
}

Status Coordinator::on(const Beat& beat, NodeId from, Outbox& out) {
  members_.confirm_alive(from, beat.memory, out.now());
  members_.roster().record_beat(from, beat, phase_ == Phase::training && training_->trains(), out.now());
  return {};
}

Status Coordinator::on(const HasRead& read, NodeId from, Outbox&) {
  if (from.role != Role::worker) return unexpected(read.kind, from);
  if (phase_ == Phase::training && members_.has_read(read, from.index)) training_->hold();
  return {};
}

// ---- leaving ----

// A worker that was asked to end hands over what it hosts.  False if no worker can take it.
bool Coordinator::drain(NodeId worker, Outbox& out) {
  const bool open = plan_.on_loss != OnLoss::stop && members_.has_begun() && !finishing() && !stopped();
  if (!open || !members_.drain(worker)) return false;
  // One that hosts shards leaves in the next era.
  if (phase_ != Phase::training || !members_.hosts(worker)) members_.release(worker, out);
  return true;
}

Status Coordinator::on(const Fault& fault, NodeId from, Outbox& out) {
  if (fault.code == ExitCode::ok) return {ExitCode::bug, "an unexpected FAULT without a code from " + from.name()};
  recorder_->event("fault", {{"role", from.name()}, {"what", fault.what}});
  const bool ends_itself = fault.code == ExitCode::terminated || fault.code == ExitCode::interrupted;
  const bool temporary = fault.code == ExitCode::temporary;
  const Ending why{fault.code, from.name() + ": " + fault.what};
  if ((ends_itself || temporary) && finishing()) {
    members_.roster().leave(from);
  } else if (fault.code == ExitCode::terminated && from.role == Role::worker &&
             (members_.is_leaving(from) || drain(from, out))) {
    if (members_.roster().contains(from)) lose(from, why, out);
  } else if (temporary && members_.has_begun() && plan_.on_loss != OnLoss::stop) {
    lose(from, why, out);
    dismiss(from, why, out);
  } else {
    // The user has to mend bad data: "file:line: what" comes first.  An error of a disk names the machine.
    const bool users =
        fault.code == ExitCode::bad_data || fault.code == ExitCode::no_input || fault.code == ExitCode::usage;
    const bool named = fault.what.find(from.name()) != fault.what.npos;
    const bool of_disk = fault.code == ExitCode::disk || fault.code == ExitCode::cannot_write;
    if (users) return {fault.code, fault.what + (named ? "" : " [" + from.name() + "]")};
    return {fault.code, of_disk ? members_.roster().describe(from) + ": " + fault.what : why.what};
  }
  return {};
}

Status Coordinator::on(const Stop& stop, NodeId from, Outbox& out) {
  if (stop.code != ExitCode::interrupted && stop.code != ExitCode::terminated) return unexpected(stop.kind, from);
  // The first signal asks for a clean end; the second that the same process gets means now.  All processes of a job are
  // often signalled at once.
  const bool again = out.now() - stopped_by_.try_emplace(from, out.now()).first->second >= kSameSignal;
  if (!again && drain(from, out)) return {};
  if (phase_ != Phase::training || !training_->trains() || again) return {stop.code, stop.what};
  training_->stop({stop.code, stop.what});
  return {};
}

Status Coordinator::on(const AskStatus& ask, NodeId from, Outbox& out) {
  Roster& roster = members_.roster();
  const std::uint32_t worker = ask.assigns_worker ? roster.assign_worker() : roster.next_worker();
  out.send(from, StatusReport{recorder_->status(roster.missing(), worker)});
  return {};
}

// ---- ending ----

void Coordinator::end(ExitCode code, const std::string& what, Outbox& out) {
  if (phase_ == Phase::ended) return;
  phase_ = Phase::ended;
  Recorder::Fields fields{{"exit", static_cast<std::uint64_t>(code)}, {"what", what}};
  if (code == ExitCode::ok) fields.emplace_back("model_hash", training_->model()->model_hash.hex());
  recorder_->event("end", fields);
  for (const NodeId process : members_.roster().members()) out.send(process, Stop{code, what});
  out.end(code, what);
}

}  // namespace rota
