#include "coordinator/coordinator.h"

#include <algorithm>
#include <utility>

#include "core/base/failpoint.h"
#include "core/runtime/handle.h"

namespace rota {

namespace {

// What a batch system or a launcher sends is often sent twice: to the whole group, and handed on.
constexpr Nanoseconds kSameSignal = kSecond;

}  // namespace

Coordinator::Coordinator(RunPlan plan, std::shared_ptr<Recorder> recorder)
    : plan_(std::move(plan)),
      recorder_(std::move(recorder)),
      workforce_(plan_),
      roster_(plan_, workforce_),
      moves_(plan_, *recorder_, workforce_) {}

Status Coordinator::step(const Envelope& in, Outbox& out) {
  if (phase_ == Phase::ended) return {};
  // Everybody may join, and ask; but who was not taken in has no say in the run.
  const bool opens_contact = std::holds_alternative<Hello>(in.message) || std::holds_alternative<AskStatus>(in.message);
  if (!opens_contact && in.from != kCoordinator && !takes_part(in.from)) {
    recorder_->event("ignored", {{"role", in.from.name()}, {"what", kind_name(kind_of(in.message))}});
    // Others have taken its place, which it does not know.
    if (attempts_ > 0 && in.from.role == Role::worker)
      out.send(in.from, Stop{ExitCode::temporary, "the run goes on without " + in.from.name()});
    return {};
  }
  const bool of_membership = std::visit(
      [&](const auto& message) {
        if constexpr (requires { this->on(message, in.from, out); }) {
          on(message, in.from, out);
          return true;
        } else {
          return false;
        }
      },
      in.message);
  if (of_membership) return {};
  if (phase_ == Phase::gathering && attempts_ == 0) wrong(in.from, kind_name(kind_of(in.message)), out);
  if (phase_ != Phase::training) return {};  // of what is taken back
  const Status handled = training_->step(in, out);
  if (!handled.ok()) end(handled.code(), handled.what(), out);
  return {};
}

Status Coordinator::tick(Outbox& out) {
  if (phase_ == Phase::gathering) gather(out);
  if (phase_ == Phase::going_back) go_back(out);
  if (phase_ != Phase::training) return {};
  auto lost = roster_.lost(out.now());
  if (!lost) lost = roster_.stuck(plan_.era, plan_.hosts, training_->trains() && !training_->finishing(), out.now());
  if (!lost) {
    move_shards(out);
    return {};
  }
  const Ending word = word_of(*lost);
  lose(lost->process, word, out);
  if (lost->lives) dismiss(lost->process, word, out);
  return {};
}

// ---- losses ----

// A process that ended itself by a signal, and in what.
std::optional<std::string> Coordinator::crash_of(NodeId process) {
  const auto words = recorder_->last_words(process.name(), roster_.pid(process));
  if (!words || words->signal == 0) return std::nullopt;
  return " was ended by " + signal_name(words->signal) + " in " +
         (words->doing.empty() ? "no hook of the plugin" : words->doing);
}

// What is known of a process that is gone, and what the job ends with if nobody takes its place.
Ending Coordinator::word_of(const Roster::Loss& loss) {
  if (const auto crash = crash_of(loss.process)) return {ExitCode::bug, roster_.describe(loss.process) + *crash};
  std::string what = loss.what;
  if (loss.broken) what += "; perhaps it was killed, by somebody or for want of memory";
  if (const auto memory = roster_.memory(loss.process); memory > 0)
    what += "; its memory was " + std::to_string(memory / 1'000'000) + " MB";
  const auto words = recorder_->last_words(loss.process.name(), roster_.pid(loss.process));
  if (words && !words->doing.empty()) what += "; it was in " + words->doing;
  return {ExitCode::temporary, what};
}

// A process of a run that has begun is gone.  What was not committed is lost with it, and computed again.
void Coordinator::lose(NodeId process, const Ending& why, Outbox& out) {
  if (training_ != nullptr && training_->finishing()) return roster_.leave(process);
  if (plan_.on_loss == OnLoss::stop) return end(why.code, why.what, out);
  if (training_ != nullptr)
    if (const auto stopped = training_->stopped()) return end(stopped->code, stopped->what, out);
  if (const auto crash = crash_of(process); crash && !crashes_.insert(*crash).second)
    return end(ExitCode::bug, why.what + ", for the second time", out);
  const std::uint64_t pid = roster_.pid(process);
  const bool hosted = hosts(process);
  drop(process);
  recorder_->event("lost", {{"role", process.name()}, {"pid", std::to_string(pid)}, {"why", why.what}});
  if (!hosted) return;  // the job does not need it
  if (!loss_) loss_ = why;
  if (phase_ != Phase::training) return;
  training_->set_aside();
  phase_ = Phase::going_back;
  gathers_since_ = out.now();
  recorder_->event("phase", {{"phase", "recovering"}});
  go_back(out);
}

// It may come back, unless others take its place.
void Coordinator::drop(NodeId process) {
  roster_.leave(process);
  if (attempts_ == 0 || process.role != Role::worker || !workforce_.lose(process.index)) return;
  moves_.give_up(process);
  roster_.forget(process);
}

// In this era.
bool Coordinator::hosts(NodeId process) const {
  return process.role != Role::worker || plan_.hosts.of(process.index).size() > 0;
}

// It lives, and is to end, so that it can be started anew.
void Coordinator::dismiss(NodeId process, const Ending& why, Outbox& out) {
  if (phase_ == Phase::ended) return;
  roster_.dismiss(process);
  out.send(process, Stop{why.code, why.what});
}

// To behind what is committed.
void Coordinator::go_back(Outbox& out) {
  drop_lost(out.now());
  if (rewinding_ || training_->committing()) return;
  plan_.resume = training_->last_checkpoint();
  plan_.best = training_->best_checkpoint();
  rewinding_ = true;
  const auto behind = plan_.resume ? std::optional(plan_.resume->epoch) : std::nullopt;
  const std::string to = behind ? "the checkpoint of epoch " + std::to_string(*behind) : "the beginning";
  if (loss_) recorder_->event("going_back", {{"to", to}});
  out.start_io([this, behind, lost = loss_.has_value(), recorder = recorder_, plan = plan_]() -> Continuation {
    failpoint("going_back.begun");
    const Status status =
        lost ? recorder->go_back(behind) : Status();  // nothing is recorded behind a checkpoint just made
    auto era = Result<std::uint64_t>(plan.era + 1);
    if (!status.ok()) era = status;
    if (status.ok() && plan.next_era) era = plan.next_era();
    failpoint("going_back.era");
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

void Coordinator::stood_still(Nanoseconds span, Nanoseconds now) {
  if (gathers_since_ != 0) gathers_since_ += span;
  roster_.stood_still(now);
}

void Coordinator::heard(NodeId process, std::uint64_t memory, Nanoseconds now) {
  if (!roster_.heard(process, memory, now)) return;
  recorder_->event("joined", {{"role", process.name()}, {"again", "yes"}});
  if (process.role != Role::worker || workforce_.awaits(process.index)) return;
  workforce_.join(process.index, Joins::as_named);  // others were to host its shards
}

Status Coordinator::peer_disconnected(NodeId process, Outbox& out) {
  if (phase_ == Phase::ended) return {};
  roster_.disconnected(process, out.now());
  if (phase_ != Phase::training || !roster_.contains(process)) return {};
  // Who has left such word will not come back.
  if (const auto crash = crash_of(process)) lose(process, {ExitCode::bug, roster_.describe(process) + *crash}, out);
  return {};
}

// ---- joining ----

// While others are awaited nothing is lost with a process: it may come back, or be started anew.
void Coordinator::gather(Outbox& out) {
  if (gathers_since_ == 0) gathers_since_ = out.now();
  const Nanoseconds waited = out.now() - gathers_since_;
  const bool first = attempts_ == 0;
  const std::string missing = roster_.missing();  // who falls silent now is not whom all have waited for
  drop_lost(out.now());
  tell_silent(waited);
  replace_missing(waited);
  if (roster_.complete() && !workforce_.too_few()) return begin_training(out);
  if (roster_.complete() && !std::exchange(paused_, true)) recorder_->event("paused", {{"why", too_few()}});
  if (waited < (first ? plan_.start_timeout : plan_.rejoin)) return;
  if (roster_.complete()) return end(ExitCode::temporary, too_few() + ", and nobody has joined", out);
  const std::string absent = missing.empty() ? roster_.missing() : missing;
  if (loss_) return end(loss_->code, loss_->what + "; nobody took the place of " + absent, out);
  end(ExitCode::temporary, "these have not joined: " + absent, out);
}

// A coordinator that was started anew knows nothing of those that stand still, and who watches them should: such a
// process neither joins nor ends.
void Coordinator::tell_silent(Nanoseconds waited) {
  if (attempts_ > 0 || plan_.era <= 1 || told_silent_ || waited < plan_.peer_timeout) return;
  told_silent_ = true;
  for (const NodeId process : roster_.absent()) recorder_->event("silent", {{"role", process.name()}});
}

// Spares take the places of workers that are missing at once, and those that are left when nobody has come for long.  A
// coordinator that was started anew does not know who had left, and whose shards had moved.
void Coordinator::replace_missing(Nanoseconds waited) {
  const bool first = attempts_ == 0;
  if (plan_.on_loss == OnLoss::stop || (first && plan_.era <= 1)) return;
  const std::vector<std::uint32_t> awaited = workforce_.awaited();
  const auto is_missing = [&](std::uint32_t worker) { return !roster_.has({Role::worker, worker}); };
  const auto missing = static_cast<std::size_t>(std::count_if(awaited.begin(), awaited.end(), is_missing));
  if (missing == 0) return;
  const bool give_up = waited >= (first ? std::min(plan_.peer_timeout, plan_.start_timeout) : plan_.rejoin);
  for (const std::uint32_t worker : awaited)
    if (is_missing(worker) && (workforce_.has_spare() || (give_up && missing < awaited.size()))) {
      workforce_.give_up(worker);
      recorder_->event("given_up", {{"role", NodeId{Role::worker, worker}.name()}});
    }
}

std::string Coordinator::too_few() const {
  const std::size_t left = workforce_.awaited().size();
  return std::to_string(left) + (left == 1 ? " worker is" : " workers are") + " left, and --min_workers is " +
         std::to_string(plan_.min_workers);
}

void Coordinator::drop_lost(Nanoseconds now) {
  while (const auto lost = roster_.lost(now)) {
    const auto crash = crash_of(lost->process);
    recorder_->event("left", {{"role", lost->process.name()},
                              {"pid", std::to_string(roster_.pid(lost->process))},
                              {"why", crash ? roster_.describe(lost->process) + *crash : lost->what}});
    drop(lost->process);
  }
}

void Coordinator::on(const Hello& hello, NodeId from, Outbox& out) {
  const bool trains = phase_ == Phase::training;
  if (join_later(hello, from, out)) return;
  if (trains && (plan_.on_loss == OnLoss::stop || !roster_.contains(from) || training_->finishing())) {
    out.send(from, Refuse{ExitCode::temporary, "the run has begun without " + from.name()});
    if (roster_.contains(from))
      lose(from, {ExitCode::temporary, roster_.describe(from) + " was lost: it started anew in the middle of the run"},
           out);
    return;
  }
  const auto before =
      trains ? std::optional(word_of({from, roster_.describe(from) + " was lost: it started anew"})) : std::nullopt;
  const Status joined = roster_.check(from, hello);
  if (!joined.ok()) {
    recorder_->event("refused", {{"role", from.name()}, {"why", joined.what()}});
    out.send(from, Refuse{joined.code(), joined.what()});
    if (roster_.contains(from))
      lose(from, {ExitCode::temporary, roster_.describe(from) + " was lost: a start that was refused took its place"},
           out);
    return;
  }
  if (before) lose(from, *before, out);
  if (phase_ == Phase::ended || join_later(hello, from, out)) return;
  take_in(from, hello, out.now());
  if (from.role == Role::worker && !workforce_.awaits(from.index)) {  // others had taken its place already
    workforce_.join(from.index, hello.joins);
  }
  recorder_->event("joined", {{"role", from.name()}, {"pid", std::to_string(hello.pid)}, {"host", hello.host}});
  if (phase_ == Phase::gathering) gather(out);
}

// What an earlier start of it was told is not what this one was told.
void Coordinator::take_in(NodeId process, const Hello& hello, Nanoseconds now) {
  roster_.join(process, hello, now);
  stopped_by_.erase(process);
}

// A worker that the run does not await: one more, or a spare.  False if it is none, or too late.
bool Coordinator::join_later(const Hello& hello, NodeId from, Outbox& out) {
  const bool open = plan_.on_loss != OnLoss::stop && (training_ == nullptr || !training_->finishing());
  const bool awaited = from.role == Role::worker && (workforce_.awaits(from.index) || hosts(from));
  if (from.role != Role::worker || !open || awaited) return false;
  if (const Status fits = roster_.check(from, hello); !fits.ok()) {
    recorder_->event("refused", {{"role", from.name()}, {"why", fits.what()}});
    out.send(from, Refuse{fits.code(), fits.what()});
    return true;
  }
  take_in(from, hello, out.now());
  workforce_.join(from.index, hello.joins);
  recorder_->event("joined", {{"role", from.name()},
                              {"pid", std::to_string(hello.pid)},
                              {"host", hello.host},
                              {"as", workforce_.awaits(from.index) ? "one more" : "a spare"}});
  if (phase_ == Phase::training) {
    out.send(from, training_->welcome());
  } else {
    if (phase_ == Phase::gathering) gather(out);
  }
  return true;
}

void Coordinator::begin_training(Outbox& out) {
  phase_ = Phase::training;
  loss_.reset();
  paused_ = false;
  moves_.begin_era();
  if (++attempts_ > 1) failpoint("going_back.welcoming");
  for (const NodeId process : roster_.members())
    if (process.role == Role::worker && workforce_.is_leaving(process.index)) release(process, out);
  plan_.hosts = workforce_.begin_era();
  for (const ShardRange& range : plan_.hosts.ranges())
    recorder_->event("hosts", {{"role", NodeId{Role::worker, range.worker}.name()},
                               {"shards", std::to_string(plan_.hosts.of(range.worker).first) + " to " +
                                              std::to_string(range.end - 1)}});
  roster_.begin_era(out.now());
  training_ = std::make_unique<Training>(
      plan_, recorder_, roster_,
      [this](ExitCode code, const std::string& what, Outbox& later) { end(code, what, later); },
      [this](Outbox& later) { held(later); });
  training_->begin(out);
}

// ---- workers that join and leave ----

// Who hosts what changes at the end of an epoch, when all have read what they will need.
void Coordinator::move_shards(Outbox& out) {
  if (training_->trains() && !training_->finishing() && !training_->stopped()) moves_.plan(training_->newest(), out);
}

void Coordinator::on(const HasRead& read, NodeId from, Outbox& out) {
  if (from.role != Role::worker) return wrong(from, "HAS_READ", out);
  if (phase_ == Phase::training && moves_.has_read(read, from.index)) training_->hold();
}

// All is saved, and nothing was given out behind it.
void Coordinator::held(Outbox& out) {
  training_->set_aside();
  phase_ = Phase::going_back;
  gathers_since_ = out.now();
  recorder_->event("phase", {{"phase", "moving"}});
  go_back(out);
}

// A worker that was told to end hands over what it hosts.  False if there is nobody to take it.
bool Coordinator::let_go(NodeId worker, Outbox& out) {
  const bool open = plan_.on_loss != OnLoss::stop && has_begun() && !(training_ && training_->finishing()) &&
                    !(training_ && training_->stopped());
  if (!open || worker.role != Role::worker || !workforce_.leave(worker.index)) return false;
  recorder_->event("leaving", {{"role", worker.name()}});
  if (phase_ == Phase::training && hosts(worker)) return true;  // in the next era
  release(worker, out);
  return true;
}

void Coordinator::release(NodeId worker, Outbox& out) {
  recorder_->event("left", {{"role", worker.name()}, {"why", "it was told to end; others host its shards"}});
  out.send(worker, Stop{ExitCode::terminated, "others host its shards"});
  moves_.give_up(worker);
  roster_.forget(worker);
}

void Coordinator::on(const Beat& beat, NodeId from, Outbox& out) {
  heard(from, beat.memory, out.now());
  roster_.told(from, beat, phase_ == Phase::training && training_->trains(), out.now());
}

void Coordinator::on(const Fault& fault, NodeId from, Outbox& out) {
  if (fault.code == ExitCode::ok) return wrong(from, "FAULT without a code", out);
  recorder_->event("fault", {{"role", from.name()}, {"what", fault.what}});
  const bool goes =
      fault.code == ExitCode::terminated || fault.code == ExitCode::interrupted || fault.code == ExitCode::temporary;
  if (goes && training_ != nullptr && training_->finishing()) return roster_.leave(from);
  if (from.role == Role::worker && fault.code == ExitCode::terminated &&
      (workforce_.is_leaving(from.index) || let_go(from, out))) {
    if (roster_.contains(from)) lose(from, {fault.code, from.name() + ": " + fault.what}, out);
    return;
  }
  const bool awaited = has_begun() && plan_.on_loss != OnLoss::stop && fault.code == ExitCode::temporary;
  if (awaited) {
    const Ending word{fault.code, from.name() + ": " + fault.what};
    lose(from, word, out);
    return dismiss(from, word, out);
  }
  // Bad data is the user's to mend, who wants "file:line: what" in front.
  const bool users =
      fault.code == ExitCode::bad_data || fault.code == ExitCode::no_input || fault.code == ExitCode::usage;
  const bool named = fault.what.find(from.name()) != fault.what.npos;
  // Of a disk, the machine is worth knowing.
  const bool of_disk = fault.code == ExitCode::disk || fault.code == ExitCode::cannot_write;
  const std::string who = of_disk ? roster_.describe(from) : from.name();
  end(fault.code, !users ? who + ": " + fault.what : fault.what + (named ? "" : " [" + from.name() + "]"), out);
}

void Coordinator::on(const Stop& stop, NodeId from, Outbox& out) {
  if (stop.code != ExitCode::interrupted && stop.code != ExitCode::terminated) return wrong(from, "STOP", out);
  // The first signal asks for a clean end; the second that the same process gets means now.  All processes of a job are
  // often told at once.
  const bool again = out.now() - stopped_by_.try_emplace(from, out.now()).first->second >= kSameSignal;
  if (!again && let_go(from, out)) return;
  if (phase_ != Phase::training || !training_->trains() || again) return end(stop.code, stop.what, out);
  training_->stop({stop.code, stop.what});
}

// ---- ending ----

void Coordinator::end(ExitCode code, const std::string& what, Outbox& out) {
  if (phase_ == Phase::ended) return;
  phase_ = Phase::ended;
  Recorder::Fields fields{{"exit", std::to_string(static_cast<int>(code))}, {"what", what}};
  if (code == ExitCode::ok) fields.emplace_back("model_hash", training_->model()->model_hash.hex());
  recorder_->event("end", fields);
  for (const NodeId process : roster_.members()) out.send(process, Stop{code, what});
  out.end(code, what);
}

bool Coordinator::takes_part(NodeId node) const {
  return roster_.contains(node) || (node.role == Role::partition && node.index < plan_.partitions);
}

void Coordinator::wrong(NodeId from, const std::string& what, Outbox& out) {
  end(ExitCode::bug, "an unexpected " + what + " from " + from.name(), out);
}

void Coordinator::on(const AskStatus& ask, NodeId from, Outbox& out) {
  const std::uint32_t worker = ask.assigns_worker ? roster_.assign_worker() : roster_.next_worker();
  out.send(from, StatusReport{recorder_->status(roster_.missing(), worker)});
}

}  // namespace rota
