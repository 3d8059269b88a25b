#include "coordinator/coordinator.h"

#include <utility>

#include "core/runtime/handle.h"

namespace rota {

namespace {

// What a batch system or a launcher sends is often sent twice: to the whole group, and handed on.
constexpr Nanoseconds kSameSignal = kSecond;

}  // namespace

Coordinator::Coordinator(RunPlan plan, std::shared_ptr<Recorder> recorder)
    : plan_(std::move(plan)), recorder_(std::move(recorder)), roster_(plan_) {}

Status Coordinator::step(const Envelope& in, Outbox& out) {
  if (phase_ == Phase::ended) return {};
  // Everybody may join, and ask; but who was not taken in has no say in the run.
  const bool opens_contact = std::holds_alternative<Hello>(in.message) || std::holds_alternative<AskStatus>(in.message);
  if (!opens_contact && in.from != kCoordinator && !takes_part(in.from)) {
    recorder_->event("ignored", {{"role", in.from.name()}, {"what", kind_name(kind_of(in.message))}});
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
  if (!lost) lost = roster_.stuck(plan_.era, training_->trains() && !training_->finishing(), out.now());
  if (!lost) return {};
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
  if (!plan_.restarts) return end(why.code, why.what, out);
  if (training_ != nullptr)
    if (const auto stopped = training_->stopped()) return end(stopped->code, stopped->what, out);
  if (const auto crash = crash_of(process); crash && !crashes_.insert(*crash).second)
    return end(ExitCode::bug, why.what + ", for the second time", out);
  const std::uint64_t pid = roster_.pid(process);
  roster_.leave(process);
  recorder_->event("lost", {{"role", process.name()}, {"pid", std::to_string(pid)}, {"why", why.what}});
  if (!loss_) loss_ = why;
  if (phase_ != Phase::training) return;
  training_->set_aside();
  phase_ = Phase::going_back;
  gathers_since_ = out.now();
  recorder_->event("phase", {{"phase", "recovering"}});
  go_back(out);
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
  recorder_->event("going_back", {{"to", to}});
  out.start_io([this, behind, recorder = recorder_, plan = plan_]() -> Continuation {
    const Status status = recorder->go_back(behind);
    auto era = Result<std::uint64_t>(plan.era + 1);
    if (!status.ok()) era = status;
    if (status.ok() && plan.next_era) era = plan.next_era();
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
  if (roster_.heard(process, memory, now)) recorder_->event("joined", {{"role", process.name()}, {"again", "yes"}});
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
  const bool first = attempts_ == 0;
  if (out.now() - gathers_since_ >= (first ? plan_.start_timeout : plan_.rejoin)) {
    if (loss_) return end(loss_->code, loss_->what + "; nobody took its place", out);
    return end(ExitCode::temporary, "these have not joined: " + roster_.missing(), out);
  }
  drop_lost(out.now());
  if (roster_.complete()) begin_training(out);
}

void Coordinator::drop_lost(Nanoseconds now) {
  while (const auto lost = roster_.lost(now)) {
    const auto crash = crash_of(lost->process);
    recorder_->event("left", {{"role", lost->process.name()},
                              {"why", crash ? roster_.describe(lost->process) + *crash : lost->what}});
    roster_.leave(lost->process);
  }
}

void Coordinator::on(const Hello& hello, NodeId from, Outbox& out) {
  const bool trains = phase_ == Phase::training;
  if (trains && (!plan_.restarts || !roster_.contains(from) || training_->finishing())) {
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
  if (phase_ == Phase::ended) return;
  roster_.join(from, hello, out.now());
  recorder_->event("joined", {{"role", from.name()}, {"pid", std::to_string(hello.pid)}, {"host", hello.host}});
  if (phase_ == Phase::gathering) gather(out);
}

void Coordinator::begin_training(Outbox& out) {
  phase_ = Phase::training;
  loss_.reset();
  ++attempts_;
  roster_.begin_era(out.now());
  training_ = std::make_unique<Training>(
      plan_, recorder_, roster_,
      [this](ExitCode code, const std::string& what, Outbox& later) { end(code, what, later); });
  training_->begin(out);
}

void Coordinator::on(const Beat& beat, NodeId from, Outbox& out) {
  heard(from, beat.memory, out.now());
  roster_.told(from, beat, phase_ == Phase::training && training_->trains(), out.now());
}

void Coordinator::on(const Fault& fault, NodeId from, Outbox& out) {
  if (fault.code == ExitCode::ok) return wrong(from, "FAULT without a code", out);
  recorder_->event("fault", {{"role", from.name()}, {"what", fault.what}});
  const bool awaited = attempts_ > 0 && plan_.restarts && fault.code == ExitCode::temporary;
  if (awaited) {
    const Ending word{fault.code, from.name() + ": " + fault.what};
    lose(from, word, out);
    return dismiss(from, word, out);
  }
  // Bad data is the user's to mend, who wants "file:line: what" in front.
  const bool users =
      fault.code == ExitCode::bad_data || fault.code == ExitCode::no_input || fault.code == ExitCode::usage;
  const bool named = fault.what.find(from.name()) != fault.what.npos;
  end(fault.code, !users ? from.name() + ": " + fault.what : fault.what + (named ? "" : " [" + from.name() + "]"), out);
}

void Coordinator::on(const Stop& stop, NodeId from, Outbox& out) {
  if (stop.code != ExitCode::interrupted && stop.code != ExitCode::terminated) return wrong(from, "STOP", out);
  // The first signal asks for a clean end; the second that the same process gets means now.  All processes of a job are
  // often told at once.
  const bool again = out.now() - stopped_by_.try_emplace(from, out.now()).first->second >= kSameSignal;
  if (phase_ != Phase::training || !training_->trains() || again) return end(stop.code, stop.what, out);
  training_->stop({stop.code, stop.what}, out);
}

// ---- ending ----

void Coordinator::end(ExitCode code, const std::string& what, Outbox& out) {
  if (phase_ == Phase::ended) return;
  phase_ = Phase::ended;
  Recorder::Fields fields{{"exit", std::to_string(static_cast<int>(code))}, {"what", what}};
  if (code == ExitCode::ok) fields.emplace_back("model_hash", training_->model()->model_hash.hex());
  recorder_->event("end", fields);
  for (const NodeId process : roster_.processes())
    if (roster_.contains(process)) out.send(process, Stop{code, what});
  out.end(code, what);
}

bool Coordinator::takes_part(NodeId node) const {
  return roster_.contains(node) || (node.role == Role::partition && node.index < plan_.partitions);
}

void Coordinator::wrong(NodeId from, const std::string& what, Outbox& out) {
  end(ExitCode::bug, "an unexpected " + what + " from " + from.name(), out);
}

void Coordinator::on(const AskStatus&, NodeId from, Outbox& out) {
  out.send(from, StatusReport{recorder_->status(roster_.missing())});
}

}  // namespace rota
