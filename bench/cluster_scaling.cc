// bench/cluster_scaling.cc -- simulates the duration of an epoch on many machines: the real nodes and links over a
// network of given latency and rate, with work that is done on this machine and takes, on the simulated clock, the
// processor time that it took.
//
// usage: cluster_scaling APP DATA WORKERS,... GBITS LATENCY_US MESSAGE_US [OPTION=VALUE ...]
//
// DATA is a folder that `rota shard` wrote: each worker opens the files of its shards.  For each number of workers it
// prints a line, of the last epoch: workers, its seconds, the longest that a worker computed in it, all bytes sent in
// it; messages that the coordinator received and sent, and seconds of processor time that these took it.  Nothing is
// evaluated or committed.  The options are the job's and the app's, as for `rota train`; --shards is that of the data.
//
// Every process has a machine with one core, except the coordinator and the schedulers, which share one with more.  A
// worker's work and its messages take turns on the core: a message that arrives meanwhile delays the work's end.  A
// message occupies the sender's and the receiver's link for its bytes, one after another, and takes the latency; and
// `message_cost` of processor time at either end, beside its real handling, for the sockets, which are not simulated.
//
// Not simulated: other work on machines, differences between them, disks, and that every machine has its own caches:
// here the work of all takes turns in one.
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/coordinator.h"
#include "core/job/packed_folder.h"
#include "core/job/plugin_host.h"
#include "core/records/records.h"
#include "core/runtime/host.h"
#include "rota/testing/serial_host.h"
#include "tests/sim/members.h"
#include "tests/sim/memory_recorder.h"

namespace {

using namespace rota;

constexpr Nanoseconds kTick = 50 * kMillisecond;
constexpr Nanoseconds kTimeout = 1'000'000 * kSecond;  // no process is lost
constexpr Nanoseconds kSameMachine = 10'000;           // from process to process

struct TimedNetwork {
  Nanoseconds latency = 0;
  double bytes_per_second = 0;  // of each machine's link, in each direction
  Nanoseconds message_cost = 0;
};

Nanoseconds processor_time() {
  struct timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

// What a process has done with messages so far.
struct Handled {
  std::uint64_t messages = 0;  // received and sent
  Nanoseconds busy = 0;
};

// Trains `job` on this number of workers until its options' `epochs` are done.
class TimedCluster {
 public:
  TimedCluster(const Plugin& plugin, const Job& job, std::uint32_t workers, const TimedNetwork& network)
      : plugin_(plugin), job_(job), network_(network) {
    plan_.hash = {1, 1};
    plan_.workers = workers;
    plan_.schedulers = job.schedulers;
    plan_.partitions = static_cast<std::uint32_t>(job.options.integer("partitions"));
    plan_.shards = job.shards;
    plan_.slices = job.slices;
    plan_.epochs = static_cast<Epoch>(job.options.integer("epochs")) + 1;  // the last would be evaluated
    plan_.eval_every = plan_.checkpoint_every = 0;
    plan_.start_timeout = plan_.peer_timeout = plan_.disconnect_grace = kTimeout;
    plan_.rebalance = false;
  }

  // After an epoch.
  struct Recorded {
    EpochRecord record;  // with simulated seconds
    Handled coordinator;
  };
  // An error if a process fails.
  Result<std::vector<Recorded>> run() {
    start(kCoordinator);
    sim::start_members(plan_, [this](NodeId id) { start(id); });
    while (records_.empty() || records_.back().record.epoch + 1 < plan_.epochs) {
      if (events_.empty()) return Status(ExitCode::failed, "nothing happens any more");
      std::pop_heap(events_.begin(), events_.end());
      Event event = std::move(events_.back());
      events_.pop_back();
      Process& process = processes_.at(event.process);
      now_ = event.at;
      if (!event.work && (process.busy_until > now_ || !process.delayed.empty())) {
        process.delayed.push_back(std::move(event.act));
        if (process.delayed.size() == 1) wake(process);
        continue;
      }
      event.act(process);
      if (const auto& ended = process.host->ended()) {
        if (ended->code == ExitCode::ok && !records_.empty()) break;  // the schedule ended the job
        return Status(ExitCode::failed, event.process.name() + " ended: " + ended->what);
      }
    }
    return std::move(records_);
  }

 private:
  struct Process {
    NodeId id;
    std::unique_ptr<Host> host;
    std::deque<std::shared_ptr<Outbox::Started>> waiting;  // for the core
    bool works = false;
    std::deque<std::function<void(Process&)>> delayed;  // came while it was busy with a message
    Nanoseconds busy_until = 0;                         // with a message, or until the end of some work
    Nanoseconds stolen = 0;                             // by messages from the current work
    Nanoseconds sends_until = 0, takes_until = 0;       // until when its link is in use
    Handled handled = {};
  };
  struct Event {
    Nanoseconds at;
    std::uint64_t order;
    NodeId process;
    bool work;  // the compute thread's: it does not wait for the node's
    std::function<void(Process&)> act;

    friend bool operator<(const Event& a, const Event& b) {
      return std::pair(a.at, a.order) > std::pair(b.at, b.order);
    }
  };

  void at(Nanoseconds when, NodeId process, std::function<void(Process&)> act, bool work = false) {
    events_.push_back({when, order_++, process, work, std::move(act)});
    std::push_heap(events_.begin(), events_.end());
  }
  // Does what is delayed, one after the other.
  void wake(Process& process) {
    const auto act = [this](Process& here) {
      if (here.busy_until > now_) return wake(here);
      const auto next = std::move(here.delayed.front());
      here.delayed.pop_front();
      next(here);
      if (!here.delayed.empty()) wake(here);
    };
    at(std::max(now_, process.busy_until), process.id, act, true);
  }
  static bool is_head(NodeId id) { return id.role != Role::worker; }
  Outbox::World world(const Process& process) const { return {now_, process.host->bytes_sent(), 0}; }

  // Runs an action of the node's thread.
  template <typename Act>
  void handle(Process& process, Nanoseconds cost, const Act& act) {
    const Nanoseconds began = processor_time();
    act();
    const auto started = process.host->take_started();
    std::vector<Transmission> sent;
    while (auto out = process.host->next(now_)) sent.push_back(*std::move(out));
    cost += processor_time() - began + static_cast<Nanoseconds>(sent.size()) * network_.message_cost;
    process.busy_until = now_ + cost;
    process.handled.messages += sent.size();
    process.handled.busy += cost;
    if (process.works && !is_head(process.id)) process.stolen += cost;
    for (Transmission& out : sent) transmit(process, std::move(out));
    process.host->sent();
    for (const Outbox::Started& work : started) {
      auto shared = std::make_shared<Outbox::Started>(work);
      if (work.io)
        at(process.busy_until, process.id, [this, shared](Process& here) { finish(here, *shared, shared->work()); });
      else
        process.waiting.push_back(std::move(shared));
    }
    begin_work(process);
  }
  void begin_work(Process& process) {
    if (process.works || process.waiting.empty()) return;
    process.works = true;
    auto work = std::move(process.waiting.front());
    process.waiting.pop_front();
    const auto act = [this, work = std::move(work)](Process& here) {
      const Nanoseconds began = processor_time();
      const Continuation continuation = work->work();
      end_work(here, now_ + processor_time() - began, work, continuation);
    };
    at(process.busy_until, process.id, act, true);
  }
  void end_work(Process& process, Nanoseconds when, const std::shared_ptr<Outbox::Started>& work,
                const Continuation& continuation) {
    const auto act = [this, work, continuation](Process& here) {
      if (here.stolen > 0) return end_work(here, now_ + std::exchange(here.stolen, 0), work, continuation);
      here.works = false;
      finish(here, *work, continuation);
    };
    at(when, process.id, act, true);
  }
  void finish(Process& process, const Outbox::Started& work, const Continuation& continuation) {
    handle(process, 0, [&] {
      process.host->finish(work.node, continuation, world(process));
      process.host->deliver_local(world(process));
    });
  }

  void transmit(Process& from, Transmission out) {
    const NodeId to = out.peer;
    Nanoseconds arrives = from.busy_until + kSameMachine;
    if (!is_head(from.id) || !is_head(to)) {
      std::size_t bytes = 0;
      for (const Bytes& frame : out.frames) bytes += frame.size();
      const auto takes = static_cast<Nanoseconds>(static_cast<double>(bytes) / network_.bytes_per_second * kSecond);
      from.sends_until = std::max(from.sends_until, from.busy_until) + takes;
      Nanoseconds& link = processes_.at(to).takes_until;
      arrives = link = std::max(link + takes, from.sends_until + network_.latency);
    }
    at(arrives, to, [this, frames = std::move(out.frames)](Process& here) {
      ++here.handled.messages;
      handle(here, network_.message_cost, [&] { here.host->receive(frames, world(here)); });
    });
  }

  void tick(Process& process) {
    handle(process, 0, [&] { process.host->tick(world(process)); });
    at(now_ + kTick, process.id, [this](Process& here) { tick(here); });
  }

  void start(NodeId id) {
    Process& process = processes_[id];
    process.id = id;
    Host::Settings settings{id, ++starts_, plan_.hash.low, id.name(), kTimeout, kTimeout};
    process.host = std::make_unique<Host>(std::move(settings));
    at(now_, id, [this](Process& here) { tick(here); });
    if (id == kCoordinator) {
      sim::MemoryRecorder::Observer told;
      told.epoch = [this](const EpochRecord& record) {
        records_.push_back({record, processes_.at(kCoordinator).handled});
      };
      auto recorder = std::make_shared<sim::MemoryRecorder>(std::nullopt, std::move(told));
      return process.host->add(std::make_unique<Coordinator>(plan_, std::move(recorder)));
    }
    sim::join(
        *process.host, id, starts_, plan_.hash, Joins::as_named,
        [this, id](const Welcome& welcome, Host::Nodes before) {  // partitions are in the workers
          const sim::Member member{
              .id = id,
              .plan = plan_,
              .plugin = plugin_,
              .job = job_,
              .checkpoints = std::make_shared<sim::MemoryCheckpoints>(disk_, welcome.era, welcome.files)};
          return sim::make_nodes(member, welcome, std::move(before));
        },
        now_);
  }

  const Plugin& plugin_;
  const Job& job_;
  const TimedNetwork network_;
  RunPlan plan_;
  std::vector<Recorded> records_;
  std::shared_ptr<sim::MemoryDisk> disk_ = std::make_shared<sim::MemoryDisk>();
  std::vector<Event> events_;  // a heap, the next first
  std::uint64_t order_ = 0, starts_ = 0;
  Nanoseconds now_ = kSecond;
  std::map<NodeId, Process> processes_;
};

int scale(const Plugin& plugin, const Job& job, std::istringstream workers, const TimedNetwork& network) {
  for (std::string number; std::getline(workers, number, ',');) {
    const auto records = TimedCluster(plugin, job, static_cast<std::uint32_t>(std::stoul(number)), network).run();
    if (!records.ok()) {
      std::fprintf(stderr, "%s\n", records.status().what().c_str());
      return EXIT_FAILURE;
    }
    const auto& [last, coordinator] = records->back();
    double longest = 0;
    for (const WorkerTimes& times : last.workers) longest = std::max(longest, times.compute_seconds);
    const auto before = records->size() < 2 ? TimedCluster::Recorded{} : (*records)[records->size() - 2];
    std::printf("%s %.6f %.6f %llu %llu %.6f\n", number.c_str(), last.seconds - before.record.seconds, longest,
                static_cast<unsigned long long>(last.bytes_sent),
                static_cast<unsigned long long>(coordinator.messages - before.coordinator.messages),
                seconds_of(coordinator.busy - before.coordinator.busy));
    std::fflush(stdout);
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr, "usage: %s APP DATA WORKERS,... GBITS LATENCY_US MESSAGE_US [OPTION=VALUE ...]\n", argv[0]);
    return EXIT_FAILURE;
  }
  // What a worker frees goes back to the system, and memory that is never written is not taken, with many workers too.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  try {
    const auto plugin = find_plugin(argv[1]);
    if (!plugin.ok()) throw std::runtime_error(plugin.status().what());
    std::map<std::string, std::string> options;
    for (int i = 7; i < argc; ++i) {
      const std::string given = argv[i];
      const std::size_t equals = std::min(given.find('='), given.size());
      options[given.substr(0, equals)] = given.substr(std::min(equals + 1, given.size()));
    }
    const Job job = serial_job(**plugin, options, {(std::filesystem::path(argv[2]) / kPackedIndex).string()}, {});
    const double microsecond = 1000;
    return scale(**plugin, job, std::istringstream(argv[3]),
                 {static_cast<Nanoseconds>(std::atof(argv[5]) * microsecond), std::atof(argv[4]) * 1e9 / 8,
                  static_cast<Nanoseconds>(std::atof(argv[6]) * microsecond)});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
