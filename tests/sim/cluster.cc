#include "tests/sim/cluster.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <queue>
#include <random>

#include "coordinator/coordinator.h"
#include "core/job/hosted_app.h"
#include "core/runtime/host.h"
#include "kvstore/partition.h"
#include "scheduler/scheduler.h"
#include "tests/sim/memory_checkpoints.h"
#include "worker/worker.h"

namespace rota::sim {

namespace {

constexpr std::uint64_t kEventsMost = 2'000'000;
constexpr Nanoseconds kTick = 50 * kMillisecond;
constexpr Nanoseconds kCallOff = 3600 * kSecond;  // of simulated time

class Cluster {
 public:
  Cluster(const Shape& shape, const Faults& faults, std::uint64_t seed, bool trace)
      : shape_(shape),
        faults_(faults),
        trace_(trace),
        random_(seed),
        job_(job_of(shape)),
        checkpoints_(std::make_shared<MemoryCheckpoints>()) {}

  Outcome run() {
    int kills_left = faults_.kills_most;
    start();
    while (outcome_.what.empty()) {
      if (events_.empty() || ++outcome_.events > kEventsMost || now_ > kCallOff) {
        outcome_.what = "the run does not end: at " + std::to_string(now_ / kMillisecond) + " ms after " +
                        std::to_string(outcome_.events) + " events";
        break;
      }
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      if (event.life != life_) continue;
      event.act();
      check_laws();
      if (const auto& ended = hosts_.at(kCoordinator).host->ended()) {
        outcome_.code = ended->code;
        outcome_.what = ended->what;
        break;
      }
      if (kills_left > 0 && chance(faults_.kill_share)) {
        --kills_left;
        ++outcome_.kills;
        hosts_.clear();
        ++life_;
        start();
      }
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
  struct Event {
    Nanoseconds at;
    std::uint64_t order;
    std::uint64_t life;
    std::function<void()> act;
    friend bool operator<(const Event& a, const Event& b) {
      return std::pair(a.at, a.order) > std::pair(b.at, b.order);
    }
  };
  struct Process {
    std::unique_ptr<Host> host;
    std::vector<Worker*> workers;
  };
  struct Connection {
    Nanoseconds last_arrival = 0;
    std::uint64_t generation = 0;
  };

  bool chance(double share) { return share > 0 && std::uniform_real_distribution<double>()(random_) < share; }
  Nanoseconds delay() {
    return faults_.delay_most_ms <= 0
               ? 0
               : static_cast<Nanoseconds>(std::uniform_real_distribution<double>(0, faults_.delay_most_ms)(random_) *
                                          static_cast<double>(kMillisecond));
  }
  void at(Nanoseconds when, std::function<void()> act) { events_.push({when, order_++, life_, std::move(act)}); }
  Outbox::World world(const Host& host) const { return {now_, host.bytes_sent(), 0}; }

  // All processes of one life of the cluster, each a little later than the one before.  It goes on behind what the life
  // before it committed.
  void start() {
    const RunPlan& plan = shape_.plan;
    RunPlan with = plan;
    recorder_ = std::make_shared<MemoryRecorder>(recorder_ ? recorder_->commits() : std::map<Epoch, CommitRecord>());
    if (!recorder_->commits().empty()) with.resume = recorder_->commits().rbegin()->second;
    const std::optional<CommitRecord>& resume = with.resume;
    if (resume && resume->record.best) with.best = recorder_->commits().at(resume->record.best->epoch);
    // What was visited after the commit is visited again.
    for (auto visit = witness_.visits.begin(); visit != witness_.visits.end();)
      visit = !resume || std::get<0>(*visit) > resume->epoch ? witness_.visits.erase(visit) : std::next(visit);
    for (auto push = witness_.pushes.begin(); push != witness_.pushes.end();)
      push = !resume || std::get<0>(*push) >= resume->next_round ? witness_.pushes.erase(push) : std::next(push);
    witness() = &witness_;
    connections_.clear();
    add(kCoordinator).host->add(std::make_unique<Coordinator>(with, recorder_));
    for (std::uint32_t i = 0; i < plan.schedulers; ++i) join({Role::scheduler, i});
    for (std::uint32_t i = 0; i < plan.workers; ++i) join({Role::worker, i});
    for (std::uint32_t i = 0; i < plan.stores; ++i) join({Role::kvstore, i});
  }

  Process& add(NodeId id) {
    Process& process = hosts_[id];
    incarnation_ = random_() | 1;
    Host::Settings settings{id, incarnation_, shape_.plan.job.low, id.name(), 600 * kSecond};
    settings.piece_bytes = shape_.piece_bytes;
    process.host = std::make_unique<Host>(std::move(settings));
    at(now_ + delay(), [this, id] { tick(id); });
    return process;
  }

  void join(NodeId id) {
    Process& process = add(id);
    Hello hello;
    hello.endpoint = id.name();
    hello.version = ROTA_VERSION;
    hello.job = shape_.plan.job;
    hello.incarnation = incarnation_;
    process.host->join(
        kCoordinator.name(), hello, [this, id](const Welcome& welcome) { return nodes(id, welcome); }, now_);
  }

  Result<std::vector<std::unique_ptr<Node>>> nodes(NodeId id, const Welcome& welcome) {
    const RunPlan& plan = shape_.plan;
    std::vector<std::unique_ptr<Node>> nodes;
    auto app = host_app(*shape_.plugin, job_);
    if (!app.ok()) return app.status();
    if (id.role == Role::scheduler)
      nodes.push_back(std::make_unique<Scheduler>(
          SchedulerSettings{id.index, plan.schedulers, plan.partitions, shape_.pipeline}, *app));
    if (id.role == Role::worker) {
      const auto threads = static_cast<std::uint32_t>(1 + id.index % 3);
      auto worker = std::make_unique<Worker>(WorkerSettings{id.index, plan.workers, threads, plan.partitions,
                                                            shape_.staleness, shape_.asynchronous, 0, shape_.credit},
                                             *app);
      hosts_.at(id).workers.push_back(worker.get());
      nodes.push_back(std::move(worker));
    }
    for (std::uint32_t p = 0; p < welcome.partition_hosts.size(); ++p)
      if (welcome.partition_hosts[p] == id)
        nodes.push_back(std::make_unique<Partition>(
            PartitionSettings{p, plan.workers, plan.schedulers, shape_.credit, plan.partitions}, *app, checkpoints_));
    return nodes;
  }

  void tick(NodeId id) {
    Process& process = hosts_.at(id);
    process.host->tick(world(*process.host));
    pump(id);
    if (!process.host->ended()) at(now_ + kTick, [this, id] { tick(id); });
  }

  // Whatever a process wants to have sent or computed.
  void pump(NodeId id) {
    Host& host = *hosts_.at(id).host;
    for (auto& started : host.take_started()) {
      // Computed now, heard of later: nobody may see a result before its end is told.
      auto work = std::make_shared<Outbox::Started>(std::move(started));
      at(now_ + delay(), [this, id, work] {
        auto continuation = std::make_shared<Continuation>(work->work());
        at(now_ + delay(), [this, id, work, continuation] {
          Host& later = *hosts_.at(id).host;
          later.finished(work->node, *continuation, world(later));
          pump(id);
        });
      });
    }
    while (auto out = host.next(now_)) transmit(id, *std::move(out));
  }

  void transmit(NodeId from, Host::Transmission out) {
    const NodeId to = out.peer;
    const auto header = decode_header(out.frames);
    if (header.ok() && header->kind == Kind::piece) ++outcome_.pieces;
    Connection& connection = connections_[{from, to}];
    if (chance(faults_.break_share)) {
      // Everything on its way on this connection is lost with it.
      ++connection.generation;
      ++outcome_.lost;
      at(now_, [this, from, to] {
        if (!hosts_.contains(from)) return;
        hosts_.at(from).host->disconnected(to, world(*hosts_.at(from).host));
      });
      return;
    }
    if (chance(faults_.flip_share)) flip(out.frames);
    connection.last_arrival = std::max(connection.last_arrival, now_ + delay());
    const int copies = chance(faults_.repeat_share) ? 2 : 1;
    if (copies > 1) ++outcome_.repeated;
    for (int i = 0; i < copies; ++i) {
      at(connection.last_arrival, [this, from, to, frames = out.frames, generation = connection.generation] {
        if (connections_[{from, to}].generation != generation || !hosts_.contains(to)) return;
        Host& host = *hosts_.at(to).host;
        if (host.ended()) return;
        if (trace_) print(from, to, frames);
        host.receive(frames, world(host));
        pump(to);
      });
    }
  }

  void print(NodeId from, NodeId to, const Frames& frames) const {
    const auto header = decode_header(frames);
    std::printf("%9.3f ms  %-14s -> %-14s %s #%llu\n", static_cast<double>(now_) / kMillisecond, from.name().c_str(),
                to.name().c_str(), header.ok() ? kind_name(header->kind) : header.status().what().c_str(),
                header.ok() ? static_cast<unsigned long long>(header->sequence) : 0);
  }

  void flip(Frames& frames) {
    ++outcome_.flipped;
    auto& frame = frames[std::uniform_int_distribution<std::size_t>(0, frames.size() - 1)(random_)];
    if (frame.empty()) return;
    std::vector<std::byte> bytes(frame.view().begin(), frame.view().end());
    bytes[std::uniform_int_distribution<std::size_t>(0, bytes.size() - 1)(random_)] ^= std::byte{0x10};
    frame = Bytes::from(std::move(bytes));
  }

  void check_laws() {
    if (!witness_.complaint.empty()) outcome_.what = "broken law: " + witness_.complaint;
    std::map<SliceId, int> holders;
    for (const auto& [id, process] : hosts_)
      for (const Worker* worker : process.workers)
        for (const SliceId slice : worker->slices_held())
          if (++holders[slice] > 1) outcome_.what = "broken law: slice " + std::to_string(slice) + " has two holders";
    if (trace_ && !outcome_.what.empty()) std::printf("%s\n", outcome_.what.c_str());
  }

  const Shape& shape_;
  const Faults& faults_;
  bool trace_;
  std::mt19937_64 random_;
  Job job_;
  Witness witness_;
  std::shared_ptr<MemoryCheckpoints> checkpoints_;
  std::shared_ptr<MemoryRecorder> recorder_;
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0, life_ = 0, incarnation_ = 0;  // the last is of the newest process
  Nanoseconds now_ = kSecond;
  std::map<NodeId, Process> hosts_;
  std::map<std::pair<NodeId, NodeId>, Connection> connections_;
  Outcome outcome_;
};

}  // namespace

Job job_of(const Shape& shape) {
  std::map<std::string, std::string, std::less<>> options;
  for (const Option& option : shape.plugin->options) options.emplace(option.name, option.default_value);
  options["heavy"] = shape.heavy ? "true" : "false";
  options["pipeline"] = std::to_string(shape.pipeline);
  options["staleness"] = std::to_string(shape.staleness);
  for (const auto& [name, value] : shape.options) options[name] = value;
  Job job;
  job.options = Options(std::move(options));
  job.schedulers = shape.plan.schedulers;
  job.staleness = shape.staleness;
  job.pipeline = shape.pipeline;
  job.seed = shape.seed;
  job.shards = shape.plan.shards;
  job.slices = shape.plan.slices;
  job.input = shape.input;
  return job;
}

Outcome simulate(const Shape& shape, const Faults& faults, std::uint64_t seed, bool trace) {
  return Cluster(shape, faults, seed, trace).run();
}

}  // namespace rota::sim
