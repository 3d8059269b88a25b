#include "coordinator/membership.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/base/failpoint.h"

namespace rota {

// ---- joining ----

void Membership::admit(NodeId process, const Hello& hello, Nanoseconds now) {
  const bool additional = is_additional(process);
  roster_.join(process, hello, now);
  if (process.role == Role::worker && !workforce_.awaits(process.index)) workforce_.join(process.index, hello.joins);
  const bool awaited = process.role != Role::worker || workforce_.awaits(process.index);
  const char* const as = !additional ? "expected" : awaited ? "one more" : "a spare";
  recorder_.event("joined", {{"role", process.name()}, {"pid", hello.pid}, {"host", hello.host}, {"as", as}});
}

void Membership::confirm_alive(NodeId process, std::uint64_t memory, Nanoseconds now) {
  if (!roster_.confirm_alive(process, memory, now)) return;
  recorder_.event(
      "joined",
      {{"role", process.name()}, {"pid", roster_.pid(process)}, {"host", roster_.host(process)}, {"as", "back"}});
  if (process.role != Role::worker || workforce_.awaits(process.index)) return;
  workforce_.join(process.index, Joins::as_named);  // others were to host its shards
}

Welcome Membership::welcome() const {
  Welcome welcome = roster_.welcome(hosts());
  welcome.era = plan_.era;
  if (plan_.resume) {
    welcome.resume = plan_.resume->epoch;
    welcome.files = plan_.resume->files;
  }
  return welcome;
}

// A restarted coordinator has no record of processes that hang.  Those neither join nor end, so the launcher, which
// watches them, is to end them.
void Membership::wait_for_missing(Nanoseconds waited) {
  const bool restarted = eras_ == 0 && plan_.era > 1;
  if (restarted && waited >= plan_.peer_timeout && !std::exchange(reported_unresponsive_, true))
    for (const NodeId process : roster_.absent()) recorder_.event("unresponsive", {{"role", process.name()}});
  if (plan_.on_loss != OnLoss::stop && has_begun()) replace_missing(waited);
}

// A restarted coordinator has no record of workers that had left, and whose shards had moved.
void Membership::replace_missing(Nanoseconds waited) {
  const std::vector<std::uint32_t> awaited = workforce_.awaited();
  const auto is_missing = [&](std::uint32_t worker) { return !roster_.has({Role::worker, worker}); };
  const auto missing = static_cast<std::size_t>(std::ranges::count_if(awaited, is_missing));
  if (missing == 0) return;
  const bool give_up =
      waited >= (eras_ == 0 ? std::min(plan_.peer_timeout, plan_.start_timeout) : plan_.rejoin_timeout);
  for (const std::uint32_t worker : awaited)
    if (is_missing(worker) && (workforce_.has_spare() || (give_up && missing < awaited.size()))) {
      workforce_.replace(worker);
      recorder_.event("abandoned", {{"role", NodeId{Role::worker, worker}.name()}});
    }
}

std::string Membership::too_few() const {
  if (!workforce_.too_few()) return "";
  const std::size_t left = workforce_.awaited().size();
  return std::to_string(left) + (left == 1 ? " worker is" : " workers are") + " left, and --min_workers is " +
         std::to_string(plan_.min_workers);
}

// ---- leaving ----

std::optional<std::string> Membership::crash_of(NodeId process) const {
  const auto words = recorder_.crash_info(process.name(), roster_.pid(process));
  if (!words || words->signal == 0) return std::nullopt;
  return " was ended by " + signal_name(words->signal) + " in " +
         (words->hooks.empty() ? "no hook of the plugin" : words->hooks);
}

Ending Membership::describe_loss(const Roster::Loss& loss) const {
  if (const auto crash = crash_of(loss.process)) return {ExitCode::bug, roster_.describe(loss.process) + *crash};
  std::string what = loss.what;
  if (loss.broken) what += "; it may have been killed, by a user or for lack of memory";
  if (const auto memory = roster_.memory(loss.process); memory > 0)
    what += "; its memory was " + std::to_string(memory / 1'000'000) + " MB";
  const auto words = recorder_.crash_info(loss.process.name(), roster_.pid(loss.process));
  if (words && !words->hooks.empty()) what += "; it was in " + words->hooks;
  return {ExitCode::temporary, what};
}

void Membership::drop(NodeId process) {
  roster_.leave(process);
  if (eras_ > 0 && process.role == Role::worker && workforce_.lose(process.index)) forget(process);
}

void Membership::drop_lost(Nanoseconds now) {
  while (const auto lost = roster_.lost(now)) {
    const auto crash = crash_of(lost->process);
    recorder_.event("left", {{"role", lost->process.name()},
                             {"pid", roster_.pid(lost->process)},
                             {"why", crash ? roster_.describe(lost->process) + *crash : lost->what}});
    drop(lost->process);
  }
}

// What it was to read for a move, another start of it has not read.
void Membership::forget(NodeId worker) {
  if (move_ && move_->hosts.of(worker.index).size() > 0) move_.reset();
  roster_.forget(worker);
}

bool Membership::drain(NodeId worker) {
  if (worker.role != Role::worker || !workforce_.leave(worker.index)) return false;
  recorder_.event("leaving", {{"role", worker.name()}});
  return true;
}

void Membership::release(NodeId worker, Outbox& out) {
  recorder_.event("left", {{"role", worker.name()}, {"why", "it was asked to leave; others host its shards"}});
  out.send(worker, Stop{ExitCode::terminated, "others host its shards"});
  forget(worker);
}

// ---- eras ----

void Membership::begin_era(Outbox& out) {
  move_.reset();
  balance_.clear();
  if (++eras_ > 1) failpoint("rollback.welcoming");
  for (const NodeId process : roster_.members())
    if (is_leaving(process)) release(process, out);
  for (const ShardRange& range : workforce_.begin_era().ranges()) {
    const std::string first = std::to_string(hosts().of(range.worker).first), last = std::to_string(range.end - 1);
    const std::string name = NodeId{Role::worker, range.worker}.name();
    recorder_.event("hosts", {{"role", name}, {"shards", first + " to " + last}});
  }
  roster_.begin_era(out.now());
}

// A worker that is slow for long gets fewer shards.
void Membership::update_load_balance(const EpochRecord& newest) {
  if (!plan_.rebalance || newest.epoch == std::exchange(balanced_, newest.epoch)) return;
  std::vector<std::uint32_t> workers = hosts().workers();
  std::ranges::sort(workers);
  std::map<std::uint32_t, double> seconds;
  for (std::size_t i = 0; i < workers.size() && newest.workers.size() == workers.size(); ++i)
    seconds[workers[i]] = newest.workers[i].compute_seconds;
  auto speeds = balance_.add(seconds, hosts());
  if (!speeds) return;
  recorder_.event("slow", {{"role", newest.slowest}});
  workforce_.set_speeds(*std::move(speeds));
}

void Membership::plan_moves(const EpochRecord& newest, Outbox& out) {
  update_load_balance(newest);
  if (!workforce_.changes() || (move_ && move_->hosts == workforce_.next())) return;
  move_ = Move{++moves_, workforce_.next(), {}};
  recorder_.event("migrating", {{"workers", move_->hosts.size()}});
  for (const std::uint32_t worker : move_->hosts.workers()) {
    move_->reading.insert(worker);
    out.send({Role::worker, worker}, ReadAhead{move_->number, move_->hosts.ranges()});
  }
}

bool Membership::has_read(const HasRead& read, std::uint32_t worker) {
  if (!move_ || read.number != move_->number) return false;  // of a plan that was abandoned
  move_->reading.erase(worker);
  return move_->reading.empty();
}

}  // namespace rota
