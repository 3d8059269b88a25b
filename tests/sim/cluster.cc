#include "tests/sim/cluster.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <set>

#include "coordinator/coordinator.h"
#include "core/runtime/host.h"
#include "tests/sim/disks.h"
#include "tests/sim/event.h"
#include "tests/sim/frames.h"
#include "tests/sim/members.h"
#include "tests/sim/memory_recorder.h"
#include "tests/sim/process.h"

namespace rota::sim {

namespace {

constexpr std::uint64_t kEventsMost = 2'000'000;
constexpr Nanoseconds kTick = 50 * kMillisecond;
constexpr std::uint32_t kZombies = 1000;
constexpr Nanoseconds kCallOff = 3600 * kSecond;  // of simulated time

class Cluster {
 public:
  Cluster(const Shape& shape, const Faults& faults, std::uint64_t seed, bool trace)
      : shape_(shape),
        faults_(faults),
        trace_(trace),
        random_(seed),
        job_(job_of(shape)),
        disks_(shape, faults, random_, outcome_) {}

  Outcome run() {
    kills_left_ = faults_.kills_most;
    losses_left_ = faults_.losses_most;
    pauses_left_ = faults_.pauses_most;
    hangs_left_ = faults_.hangs_most;
    cuts_left_ = faults_.cuts_most;
    joins_left_ = faults_.joins_most;
    leaves_left_ = faults_.leaves_most;
    witness() = &witness_;
    start();
    while (outcome_.what.empty()) {
      if (events_.empty() || ++outcome_.events > kEventsMost || now_ > kCallOff) {
        outcome_.what = "the run does not end: at " + std::to_string(now_ / kMillisecond) + " ms after " +
                        std::to_string(outcome_.events) + " events";
        break;
      }
      Event event = events_.top();
      events_.pop();
      now_ = event.at;
      if (event.process && !is_due(event)) continue;
      here_ = event.process.value_or(kCoordinator);
      // The witness does not see what a process does that outlived its replacement, or that is in an old era.
      const bool unseen = is_zombie(here_) || (event.process && hosts_.at(here_).era < newest_era_);
      witness() = unseen ? &unseen_ : &witness_;
      event.act();
      witness() = &witness_;
      check_laws();
      const auto coordinator = hosts_.find(kCoordinator);
      if (coordinator != hosts_.end() && coordinator->second.host->ended()) {
        outcome_.code = coordinator->second.host->ended()->code;
        outcome_.what = coordinator->second.host->ended()->what;
        // The last worker was signalled to end, and so the run; or a disk was full, and has room again: it is resumed.
        const bool was_signalled = outcome_.code == ExitCode::terminated && outcome_.leaves > 0;
        if (!was_signalled && !(is_of_disks(outcome_.code) && disks_.were_full())) break;
        if (was_signalled && stays_) {
          outcome_.what = "the run ended with 143, and " + stays_->name() + " was not signalled";
          outcome_.code = ExitCode::bug;
          break;
        }
        outcome_.what.clear();
        all_end();
        start();
      }
      do_harm();
    }
    witness() = nullptr;
    if (outcome_.code == ExitCode::ok && recorder_->published()) {
      outcome_.model_hash = recorder_->published()->model_hash;
      outcome_.state_hash = recorder_->published()->state_hash;
      outcome_.epoch = recorder_->published()->epoch;
    }
    return outcome_;
  }

 private:
  bool chance(double share) { return share > 0 && std::uniform_real_distribution<double>()(random_) < share; }
  Nanoseconds delay() {
    return faults_.delay_most_ms <= 0
               ? 0
               : static_cast<Nanoseconds>(std::uniform_real_distribution<double>(0, faults_.delay_most_ms)(random_) *
                                          static_cast<double>(kMillisecond));
  }
  Nanoseconds span(Nanoseconds most) { return std::uniform_int_distribution<Nanoseconds>(0, most)(random_); }
  void at(Nanoseconds when, std::function<void()> act) { events_.push({when, order_++, {}, 0, std::move(act)}); }
  // In a process, if it is the same one then.
  void at(Nanoseconds when, NodeId process, std::function<void()> act) {
    events_.push({when, order_++, process, hosts_.at(process).life, std::move(act)});
  }
  bool is_due(Event& event) {
    if (const auto moved = zombies_.find(event.life); moved != zombies_.end()) event.process = moved->second;
    const auto found = hosts_.find(*event.process);
    if (found == hosts_.end() || found->second.life != event.life) return false;
    if (now_ >= found->second.still_until) return true;
    event.at = found->second.still_until;
    events_.push(std::move(event));
    return false;
  }
  Outbox::World world(const Host& host) const { return {now_, host.bytes_sent(), 0}; }

  std::shared_ptr<MemoryRecorder> recorder_after(std::optional<CommitRecord> newest) {
    MemoryRecorder::Observer observer;
    observer.event = [this](const std::string& name, const auto& fields) {
      if (trace_) {
        std::printf("%9.3f ms  %s", static_cast<double>(now_) / kMillisecond, name.c_str());
        for (const auto& [field, value] : fields) std::printf(" %s=%s", field.c_str(), text_of(value).c_str());
        std::printf("\n");
      }
      // All processes have begun the era, so no work of the one before is running.
      if (name == "phase" && text_of(fields.front().second) == "cutting") forget_repeated_work();
      if (name == "phase" && text_of(fields.front().second) == "migrating") ++outcome_.moves;
    };
    observer.commit = [this](const CommitRecord& record) { committed_[record.epoch] = disks_.now(); };
    observer.broken = [this](const std::string& law) { witness_.complaint = law; };
    return std::make_shared<MemoryRecorder>(std::move(newest), std::move(observer), disks_.shared());
  }

  // What was durable is found again after any fault.
  std::optional<CommitRecord> newest_commit() {
    std::optional<CommitRecord> newest = newest_memory_commit(*disks_.shared());
    const Epoch found = newest ? newest->epoch : 0;
    const Epoch durable = committed_.empty() ? 0 : committed_.rbegin()->first;
    if (found < durable)
      witness_.complaint =
          "epoch " + std::to_string(durable) + " was committed, and the newest found is " + std::to_string(found);
    return newest;
  }

  // Work after the newest commit is repeated.
  void forget_repeated_work() {
    const auto& newest = recorder_->newest();
    std::erase_if(witness_.visits, [&](const auto& visit) { return !newest || std::get<0>(visit) > newest->epoch; });
    std::erase_if(witness_.pushes,
                  [&](const auto& push) { return !newest || std::get<0>(push) >= newest->next_round; });
  }

  // All processes, each a little later than the one before.
  void start() {
    const RunPlan& plan = shape_.plan;
    connections_.clear();
    next_worker_ = plan.workers;
    leaving_.clear();
    stays_.reset();
    ends_ = false;
    start(kCoordinator);
    start_members(plan, [this](NodeId id) { start(id); });
  }

  void start(NodeId id, Joins joins = Joins::as_named) {
    Process& process = hosts_[id];
    process = {};
    process.life = ++lives_;
    const std::uint64_t incarnation = random_() | 1;
    Host::Settings settings{id, incarnation, shape_.plan.hash.low, id.name(), shape_.peer_timeout};
    settings.rejoin_timeout = shape_.plan.rejoin_timeout;
    settings.piece_bytes = shape_.piece_bytes;
    process.host = std::make_unique<Host>(std::move(settings));
    at(now_ + delay(), id, [this] { tick(here_); });
    if (id == kCoordinator) return coordinate(*process.host);
    join(
        *process.host, id, incarnation, shape_.plan.hash, joins,
        [this, id](const Welcome& welcome, Host::Nodes before) { return nodes(id, welcome, std::move(before)); }, now_);
  }

  // It continues after the last commit of an earlier one.
  void coordinate(Host& host) {
    RunPlan plan = shape_.plan;
    plan.resume = newest_commit();
    recorder_ = recorder_after(plan.resume);
    const std::optional<CommitRecord>& resume = plan.resume;
    if (resume && resume->record.best)
      plan.best = memory_commit(*disks_.shared(), memory_folder(resume->record.best->epoch));
    plan.era = ++era_;
    plan.checkpoints = std::make_shared<MemoryChunkFiles>(disks_.shared());
    plan.next_era = [this] { return Result<std::uint64_t>(++era_); };
    host.add(std::make_unique<Coordinator>(plan, recorder_));
  }

  Result<Host::Nodes> nodes(NodeId id, const Welcome& welcome, Host::Nodes before) {
    Process& process = hosts_.at(here_);
    process.era = welcome.era;
    newest_era_ = std::max(newest_era_, welcome.era);
    process.worker = nullptr;
    if (!before.empty()) ++outcome_.rollbacks;
    const auto own = disks_.own(id);
    const Member member{
        .id = id,
        .plan = shape_.plan,
        .plugin = *shape_.plugin,
        .job = job_,
        .threads = 1 + id.index % 3,
        .asynchronous = shape_.asynchronous,
        .credit = shape_.credit,
        .checkpoints = std::make_shared<MemoryCheckpoints>(own ? own : disks_.shared(), welcome.era, welcome.files),
        .own_files = own ? std::make_shared<MemoryChunkFiles>(own) : nullptr};
    auto nodes = make_nodes(member, welcome, std::move(before));
    if (nodes.ok() && id.role == Role::worker) process.worker = dynamic_cast<Worker*>(nodes->front().get());
    return nodes;
  }

  // ---- harm ----

  void do_harm() {
    if (kills_left_ > 0 && chance(faults_.kill_share)) {
      --kills_left_;
      kill_all(chance(faults_.power_share));
    }
    if (none_lives()) return;  // until one is restarted
    if (losses_left_ > 0 && chance(faults_.loss_share)) {
      --losses_left_;
      const NodeId id = any_process();
      chance(faults_.power_share) ? cut_machine(id) : lose(id);
      if (none_lives()) return;
    }
    if (cuts_left_ > 0 && hosts_.size() > 1 && chance(faults_.cut_share)) cut();
    if (joins_left_ > 0 && chance(faults_.join_share)) {
      --joins_left_;
      ++outcome_.joins;
      start({Role::worker, next_worker_++}, chance(0.3) ? Joins::as_spare : Joins::as_new);
    }
    if (leaves_left_ > 0 && chance(faults_.leave_share)) leave();
    if (pauses_left_ > 0 && chance(faults_.pause_share)) {
      --pauses_left_;
      ++outcome_.pauses;
      const NodeId id = any_process();
      hosts_.at(id).still_until = now_ + span(faults_.pause_most);
      if (trace_) std::printf("%s hangs\n", id.name().c_str());
    }
  }

  static bool is_of_disks(ExitCode code) { return code == ExitCode::disk || code == ExitCode::cannot_write; }

  // All processes at once.
  void all_end() {
    hosts_.clear();
    disks_.killed(now_, [](std::uint64_t) { return true; });
    std::erase_if(committed_, [&](const auto& commit) { return commit.second > now_; });
  }
  void kill_all(bool power) {
    ++outcome_.kills;
    if (trace_) std::printf("%s\n", power ? "all power is cut" : "all are killed");
    for (const auto& [id, process] : hosts_) disks_.lose(id);
    all_end();
    if (power) {
      ++outcome_.power_cuts;
      disks_.cut_power(now_);
    }
    start();
  }

  // A process with its own disk has its own machine; all others are on one.
  void cut_machine(NodeId of) {
    ++outcome_.power_cuts;
    const std::shared_ptr<MemoryDisk> disk = disks_.own(of);
    if (trace_) std::printf("power is cut on the machine of %s\n", of.name().c_str());
    std::vector<NodeId> there;
    for (const auto& [id, process] : hosts_)
      if (disks_.own(is_zombie(id) ? was_.at(id) : id) == disk) there.push_back(id);
    for (const NodeId id : there) is_zombie(id) ? end(id, false, 0) : fall(id, !leaving_.contains(id));
    disks_.cut_power(disk != nullptr ? *disk : *disks_.shared(), now_);
  }
  // During work on files.
  void cut_at_work(NodeId id) {
    if (!hosts_.contains(id)) return;
    if (losses_left_ > 0 && chance(0.5)) {
      --losses_left_;
      cut_machine(id);
    } else if (kills_left_ > 0) {
      --kills_left_;
      kill_all(true);
    }
  }

  void cut() {
    const NodeId from = any_process(), to = any_process();
    if (from == to) return;
    --cuts_left_;
    ++outcome_.cuts;
    const Nanoseconds until = now_ + span(faults_.cut_most);
    cut_until_[{from, to}] = until;
    if (chance(0.5)) cut_until_[{to, from}] = until;
    if (trace_) std::printf("nothing passes from %s to %s\n", from.name().c_str(), to.name().c_str());
  }

  // A worker that could take the shards of all that were signalled; none is known where processes are lost.
  std::optional<NodeId> staying_worker() const {
    const int losses = faults_.losses_most + faults_.pauses_most + faults_.hangs_most + faults_.cuts_most +
                       faults_.kills_most + faults_.full_disks_most;
    if (losses > 0) return std::nullopt;
    for (const auto& [id, process] : hosts_)
      if (id.role == Role::worker && process.era > 0 && !leaving_.contains(id)) return id;
    return std::nullopt;
  }

  // One of the workers is signalled to end.
  void leave() {
    const NodeId id = any_process();
    const Process& process = hosts_.at(id);
    if (id.role != Role::worker || now_ < process.still_until || process.era == 0 || workers() < 2) return;
    --leaves_left_;
    ++outcome_.leaves;
    leaving_.insert(id);
    // A run that is to end with 143, as no other worker was there at a signal, does so though some join later.
    if (!ends_) stays_ = staying_worker();
    ends_ = ends_ || !stays_;
    if (trace_) std::printf("%s is signalled to end\n", id.name().c_str());
    hosts_.at(id).host->end_requested("asked to end", now_);
    pump(id);
  }

  // Whether it is restarted after it has ended, or was killed.
  bool comes_back(NodeId id) {
    if (leaving_.contains(id) || is_zombie(id)) return false;
    const bool has_begun = hosts_.at(id).era > 0;
    const bool may_stay_away =
        has_begun && id.role == Role::worker && shape_.plan.on_loss == OnLoss::move && workers() > 1;
    return !may_stay_away || chance(0.3);
  }
  std::size_t workers() const {
    return static_cast<std::size_t>(std::count_if(hosts_.begin(), hosts_.end(), [&](const auto& entry) {
      return entry.first.role == Role::worker && !leaving_.contains(entry.first) && !is_zombie(entry.first);
    }));
  }
  void end(NodeId id, bool back, Nanoseconds again) {
    const std::uint64_t over = hosts_.at(id).life;
    hosts_.erase(id);
    if (!zombies_.contains(over) || is_zombie(id))
      disks_.killed(now_, [&](std::uint64_t life) { return life == over; });
    if (id == kCoordinator) std::erase_if(committed_, [&](const auto& commit) { return commit.second > now_; });
    if (!back) return;
    at(again, [this, id] {
      if (!hosts_.contains(id)) start(id);
    });
  }

  bool none_lives() const {
    return std::all_of(hosts_.begin(), hosts_.end(), [](const auto& process) { return is_zombie(process.first); });
  }
  // None that outlived its replacement.  REQUIRES that a process lives.
  NodeId any_process() {
    std::vector<NodeId> all;
    for (const auto& [id, process] : hosts_)
      if (!is_zombie(id)) all.push_back(id);
    return all[std::uniform_int_distribution<std::size_t>(0, all.size() - 1)(random_)];
  }

  // They have numbers that no other process has.
  static bool is_zombie(NodeId id) { return id.index >= kZombies; }

  // It hangs, is declared lost, and continues its work beside its replacement until it is ended.  There is no second
  // coordinator: the first holds the lock of the run.
  void live_on(NodeId id) {
    ++outcome_.zombies;
    Process& old = hosts_.at(id);
    const NodeId zombie{id.role, kZombies + static_cast<std::uint32_t>(outcome_.zombies)};
    if (trace_) std::printf("%s lives on as %s\n", id.name().c_str(), zombie.name().c_str());
    old.still_until = now_ + span(faults_.zombie_most / 4);
    zombies_[old.life] = zombie;
    was_[zombie] = id;
    hosts_[zombie] = std::move(old);
    at(now_ + span(faults_.zombie_most), [this, zombie] {
      if (hosts_.contains(zombie)) end(zombie, false, 0);
    });
  }

  void lose(NodeId id) {
    const bool back = comes_back(id);
    if (id != kCoordinator && chance(faults_.zombie_share)) live_on(id);
    disks_.lose(id);
    fall(id, back);
  }
  void fall(NodeId id, bool back) {
    ++outcome_.losses;
    if (trace_) std::printf("%s is killed\n", id.name().c_str());
    end(id, back, now_ + span(faults_.restart_most));
    for (const auto& [other, process] : hosts_) {
      ++connections_[{other, id}].generation;
      ++connections_[{id, other}].generation;
      at(now_ + delay(), other, [this, id] {
        Host& host = *hosts_.at(here_).host;
        host.disconnected(id, world(host));
        pump(here_);
      });
    }
  }

  void tick(NodeId id) {
    Process& process = hosts_.at(id);
    process.host->tick(world(*process.host));
    pump(id);
    if (!process.host->ended()) return at(now_ + kTick, id, [this] { tick(here_); });
    if (id == kCoordinator) return;
    // A supervisor would restart it, and so would a batch system after its own signal.
    const bool comes_again = leaving_.contains(id) && chance(0.5) && leaving_.erase(id) > 0;
    end(id, comes_again || comes_back(id), now_ + kSecond + span(faults_.restart_most));
  }

  // Sends the messages of a process, and starts its work.
  void pump(NodeId id) {
    Host& host = *hosts_.at(id).host;
    for (auto& started : host.take_started()) {
      // Computed now, reported later: no process may see a result before its end is reported.
      auto work = std::make_shared<Outbox::Started>(std::move(started));
      if (work->io) {
        hosts_.at(id).files.push_back(std::move(work));
        next_file(id);
        continue;
      }
      at(now_ + delay(), id, [this, work] {
        auto continuation = std::make_shared<Continuation>(work->work());
        // The coordinator computes nothing.
        if (hangs_left_ > 0 && here_ != kCoordinator && chance(faults_.hang_share)) {
          --hangs_left_;
          ++outcome_.hangs;
          if (trace_) std::printf("work of %s does not end\n", here_.name().c_str());
          return;
        }
        at(now_ + delay(), here_, [this, work, continuation] {
          Host& later = *hosts_.at(here_).host;
          later.finish(work->node, *continuation, world(later));
          later.deliver_local(world(later));
          pump(here_);
        });
      });
    }
    while (auto out = host.next(now_)) {
      if (!chance(faults_.full_share)) {
        transmit(id, *std::move(out));
        continue;
      }
      ++outcome_.full;
      host.not_taken(out->peer);
      at(now_ + span(kSecond), id, [this, peer = out->peer] {
        hosts_.at(here_).host->writable(peer);
        pump(here_);
      });
    }
  }

  void next_file(NodeId id) {
    Process& process = hosts_.at(id);
    if (process.files.empty() || std::exchange(process.files_busy, true)) return;
    at(now_ + delay(), id, [this] { work_on_files(); });
  }
  void work_on_files() {
    Process& process = hosts_.at(here_);
    const std::shared_ptr<Outbox::Started> work = std::move(process.files.front());
    process.files.pop_front();
    auto continuation = std::make_shared<Continuation>();
    const Nanoseconds done = disks_.run(process.life, now_, [&] { *continuation = work->work(); });
    if (done > now_ && chance(faults_.power_at_work_share))
      at(now_ + span(done - now_), [this, id = here_] { cut_at_work(id); });
    at(done, here_, [this] {
      hosts_.at(here_).files_busy = false;
      next_file(here_);
    });
    process.files_done_at = std::max(process.files_done_at, done + delay());
    at(process.files_done_at, here_, [this, work, continuation] {
      Host& later = *hosts_.at(here_).host;
      later.finish(work->node, *continuation, world(later));
      later.deliver_local(world(later));
      pump(here_);
    });
  }

  // A message goes to an address: to the process that listens there now.
  NodeId listener_of(const Transmission& out) const {
    for (const auto& [id, process] : hosts_)
      if (id.name() == out.endpoint) return id;
    return out.peer;
  }

  void transmit(NodeId from, Transmission out) {
    const NodeId to = listener_of(out);
    const auto header = decode_header(out.frames);
    if (header.ok() && header->kind == Kind::piece) ++outcome_.pieces;
    if (header.ok() && header->kind == Kind::chunk) ++(to == kCoordinator ? outcome_.copied : outcome_.fetched_back);
    if (const auto cut = cut_until_.find({from, to}); cut != cut_until_.end() && now_ < cut->second) return;
    Connection& connection = connections_[{from, to}];
    if (chance(faults_.break_share)) {
      // All messages in transit on this connection are lost with it.
      ++connection.generation;
      ++outcome_.lost;
      at(now_, from, [this, to] { hosts_.at(here_).host->disconnected(to, world(*hosts_.at(here_).host)); });
      return;
    }
    if (chance(faults_.flip_share)) {
      ++outcome_.flipped;
      flip(out.frames, random_);
    }
    connection.last_arrival = std::max(connection.last_arrival, now_ + delay());
    const int copies = chance(faults_.repeat_share) ? 2 : 1;
    if (copies > 1) ++outcome_.repeated;
    if (is_zombie(from)) ++outcome_.zombie_messages;
    if (hosts_.contains(to) && chance(faults_.echo_share)) {
      ++outcome_.echoes;
      at(now_ + span(faults_.echo_most), to, [this, from, frames = out.frames] { deliver(from, frames); });
    }
    for (int i = 0; i < copies; ++i) {
      if (!hosts_.contains(to)) return;
      at(connection.last_arrival, to, [this, from, to, frames = out.frames, generation = connection.generation] {
        if (connections_[{from, to}].generation == generation) deliver(from, frames);
      });
    }
  }

  void deliver(NodeId from, const Frames& frames) {
    Host& host = *hosts_.at(here_).host;
    if (host.ended()) return;
    if (trace_) print(now_, from, here_, frames);
    host.receive(frames, world(host));
    pump(here_);
  }

  void check_laws() {
    if (!witness_.complaint.empty()) outcome_.what = "broken law: " + witness_.complaint;
    std::map<SliceId, int> holders;
    for (const auto& [id, process] : hosts_) {
      if (process.era < newest_era_ || process.worker == nullptr) continue;
      for (const SliceId slice : process.worker->slices_held())
        if (++holders[slice] > 1) outcome_.what = "broken law: slice " + std::to_string(slice) + " has two holders";
    }
    if (trace_ && !outcome_.what.empty()) std::printf("%s\n", outcome_.what.c_str());
  }

  const Shape& shape_;
  const Faults& faults_;
  bool trace_;
  std::mt19937_64 random_;
  Job job_;
  Witness witness_, unseen_;
  Outcome outcome_;
  Disks disks_;
  std::shared_ptr<MemoryRecorder> recorder_;
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0, lives_ = 0, era_ = 0;
  int kills_left_ = 0, losses_left_ = 0, pauses_left_ = 0, hangs_left_ = 0, cuts_left_ = 0, joins_left_ = 0,
      leaves_left_ = 0;
  std::uint32_t next_worker_ = 0;  // that joins
  std::uint64_t newest_era_ = 0;   // that a process has begun: slices held in others do not matter any more
  std::set<NodeId> leaving_;       // signalled to end
  std::optional<NodeId> stays_;    // staying_worker(), at the last signal
  bool ends_ = false;              // there was none at one of the signals
  std::map<std::pair<NodeId, NodeId>, Nanoseconds> cut_until_;
  Nanoseconds now_ = kSecond;
  std::map<NodeId, Process> hosts_;
  std::map<std::uint64_t, NodeId> zombies_;  // by life
  NodeId here_ = kCoordinator;               // the process in which something happens
  std::map<NodeId, NodeId> was_;             // the earlier name of a zombie
  std::map<Epoch, Nanoseconds> committed_;   // when it was durable
  std::map<std::pair<NodeId, NodeId>, Connection> connections_;
};

}  // namespace

Outcome simulate(const Shape& shape, const Faults& faults, std::uint64_t seed, bool trace) {
  return Cluster(shape, faults, seed, trace).run();
}

}  // namespace rota::sim
