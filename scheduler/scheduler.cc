#include "scheduler/scheduler.h"

#include "base/cut.h"
#include "base/plugin_host.h"
#include "base/seed.h"
#include "wire/handle.h"
#include "wire/placement.h"

namespace rota {

namespace {

// A schedule that needs no feedback is asked this many epochs ahead, so that the end of one epoch and the beginning of
// the next overlap.
constexpr std::size_t kEpochsAhead = 2;
// And for one that names no epoch's end in sight: rounds in one message.
constexpr std::size_t kRoundsMost = 4096;

}  // namespace

Scheduler::Scheduler(SchedulerSettings settings, const Plugin& plugin, Job job)
    : settings_(settings),
      plugin_(plugin),
      job_(std::move(job)),
      commits_(plugin.tables != nullptr ? plugin.tables(job_) : std::vector<Table>(), settings_.partitions) {}

Status Scheduler::step(const Envelope& in, Outbox& out) {
  return handle(
      in, [&](const auto& message) requires requires { this->on(message, in.from, out); } {
        return on(message, in.from, out);
      });
}

Status Scheduler::on(const Welcome& welcome, NodeId, Outbox&) {
  resume_ = welcome.resume;
  return {};
}

Status Scheduler::on(const Weights& weights, NodeId, Outbox& out) {
  ROTA_TRY(call_hook(plugin_.name, "schedule", id().name(), [&] {
    schedule_ = plugin_.schedule(job_);
    if (plugin_.slice != nullptr) cut_ = schedule_->cut(weights.census, job_.slices);
  }));
  if (plugin_.slice != nullptr && cut_.slices.size() != job_.slices)
    return {ExitCode::failed, "schedule: a cut into " + std::to_string(cut_.slices.size()) + " slices, wanted were " +
                                  std::to_string(job_.slices)};
  if (settings_.index == 0) out.send(kCoordinator, CutMade{cut_});
  return {};
}

Status Scheduler::on(const Start& start, NodeId from, Outbox& out) {
  if (schedule_ == nullptr) return unexpected(start.kind, from);
  epoch_ = epochs_done_ = start.epoch;
  next_ = start.round;
  done_ = start.round - 1;
  started_ = true;
  if (!resume_) return schedule_more(out);
  out.send({Role::partition, partition_of_object(settings_.index, settings_.partitions)},
           Fetch{Object::schedule, settings_.index});
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

bool Scheduler::wants_more() const {
  if (!started_ || epoch_ > settings_.epochs) return false;
  if (resume_ && !(restored_ && commits_.restored())) return false;
  const std::uint32_t pipeline = settings_.pipeline > 0 ? settings_.pipeline : schedule_->pipeline();
  if (pipeline > 0) return next_ - 1 - done_ < pipeline;
  return epoch_ < epochs_done_ + kEpochsAhead;
}

Status Scheduler::schedule_more(Outbox& out) {
  while (wants_more()) {
    Rounds rounds;
    rounds.first = next_;
    std::vector<SharedRows> outstanding;
    ROTA_TRY(call_hook(plugin_.name, "Schedule::next", id().name(), [&] {
      while (wants_more() && rounds.rounds.size() < kRoundsMost) {
        if (!epoch_begun_) random_ = random_for(job_.seed, Stream::schedule, epoch_, settings_.index, 0);
        rounds.rounds.push_back(schedule_->next(random_));
        outstanding.push_back({next_, rounds.rounds.back().table, rounds.rounds.back().shared});
        epoch_begun_ = !rounds.rounds.back().ends_epoch;
        if (!epoch_begun_) {
          Writer state;
          schedule_->save(state);
          states_[epoch_] = state.take();
          ends_[epoch_++] = next_;
        }
        ++next_;
      }
    }));
    for (const SharedRows& rows : outstanding)
      if (!rows.keys.empty()) ROTA_TRY(commits_.begin(rows));
    out.send(kCoordinator, std::move(rounds));
  }
  return {};
}

Status Scheduler::on(const RoundsDone& done, NodeId, Outbox& out) {
  done_ = std::max(done_, done.last);
  while (!ends_.empty() && ends_.begin()->second <= done_) {
    epochs_done_ = ends_.begin()->first + 1;
    ends_.erase(ends_.begin());
  }
  return schedule_more(out);
}

Status Scheduler::on(const Deltas& deltas, NodeId from, Outbox& out) {
  if (deltas.rows.round == 0) {
    ROTA_TRY(commits_.restore(deltas));
    return schedule_more(out);
  }
  auto rounds = commits_.commit(from.index, deltas);
  if (!rounds.ok()) return rounds.status();
  for (const RoundDeltas& round : *rounds)
    ROTA_TRY(call_hook(plugin_.name, "Schedule::feedback", "round " + std::to_string(round.round),
                       [&] { schedule_->feedback(round.views()); }));
  return {};
}

Status Scheduler::on(const Save& save, NodeId, Outbox& out) {
  const auto put = [&](Object object, std::uint64_t number, std::uint32_t partition, std::vector<std::byte> bytes) {
    const Bytes shared = Bytes::from(std::move(bytes));
    out.send({Role::partition, partition}, Put{save.epoch, object, number, hash128(shared.view()), shared});
  };
  put(Object::schedule, settings_.index, partition_of_object(settings_.index, settings_.partitions),
      states_[save.epoch]);
  if (settings_.index == 0) {
    Writer cut;
    encode_cut(cut_, cut);
    put(Object::cut, 0, 0, cut.take());
  }
  states_.erase(states_.begin(), states_.upper_bound(save.epoch));
  out.send(kCoordinator, Saved{save.epoch});
  return {};
}

}  // namespace rota
