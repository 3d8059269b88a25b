// cli/launcher/supervise.cc -- the processes of a job, until the last has ended.
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <system_error>

#include "cli/folders/private_folder.h"
#include "cli/launcher/restarts.h"
#include "cli/launcher/run_job.h"
#include "cli/processes/child.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/process_limits.h"
#include "core/job/hook_trace.h"
#include "core/job/input_files.h"
#include "core/job/job_config.h"
#include "core/job/packed_folder.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr Nanoseconds kPollSpan = 200 * kMillisecond;
constexpr Nanoseconds kSameSignal = kSecond;     // sent to the whole group, and by the terminal or launcher
constexpr Nanoseconds kStopSpan = 10 * kSecond;  // for the coordinator, after a second signal
constexpr Nanoseconds kEndSpan = 5 * kSecond;    // for the others, after the coordinator
constexpr Nanoseconds kKillSpan = 2 * kSecond;   // after SIGTERM
// How long the coordinator may take to report a lost process itself.
constexpr Nanoseconds kExitReportGrace = 2 * kSecond;
constexpr std::size_t kLogLines = 10;
constexpr Nanoseconds kAddressPollSpan = 20 * kMillisecond;

// What the workers read of the data: each reads all of it, for its shards and once more for the checksum; of data by
// shard it reads its own files once.  0: it is not known.
std::uint64_t bytes_to_load(const Options& options) {
  const auto workers = static_cast<std::uint64_t>(options.integer("workers"));
  if (const fs::path folder(options.text("input")); is_packed_folder(folder)) {
    const auto index = read_index(folder);
    std::uint64_t bytes = index.ok() ? workers * index->common.bytes : 0;
    if (index.ok())
      for (const PackedIndex::Shard& shard : index->shards) bytes += shard.file.bytes;
    return bytes;
  }
  std::uint64_t bytes = 0;
  for (const char* const data : {"input", "valid"}) {
    const std::string_view named = options.text(data);
    if (named.empty()) continue;
    if (named.find("://") != named.npos) return 0;
    const auto files = input_files(named);
    if (!files.ok()) return 0;
    for (const std::string& file : *files) {
      std::error_code error;
      const auto size = fs::file_size(file, error);
      if (error) return 0;
      bytes += size;
    }
  }
  return 2 * workers * bytes;
}

class Supervisor {
 public:
  Supervisor(const LocalJob& job, Progress& progress)
      : job_(job),
        progress_(progress),
        processes_(job),
        events_(job.run.events()),
        restarts_wanted_(job.options.text("on_loss") != "stop"),
        moves_(job.options.text("on_loss") == "move") {}
  ~Supervisor() { end_all(); }

  Status start(const fs::path& sockets) {
    ROTA_TRY(check_descriptors(descriptors_needed(job_.options)));
    const auto count = [&](const char* name) { return counted(job_.options.integer(name), name); };
    progress_.say("rota: " + count("shards") + ", " + count("partitions") + ", " + count("workers") + " of " +
                  count("threads") + ", " + count("schedulers") + ", " + count("stores") + "; reading the input");
    progress_.begin("starting");
    // Processes of other machines are out of sight.
    if (job_.network.machines.empty() && !job_.network.coordinator_only)
      progress_.loads({bytes_to_load(job_.options), [this] {
                         std::uint64_t bytes = 0;
                         for (const Role& role : roles_)
                           if (role.role == "worker") bytes += bytes_read(std::to_string(role.child->pid()));
                         return bytes;
                       }});
    ROTA_TRY(processes_.prepare(sockets));
    events_.read([](std::string_view) {});  // of an earlier part of the run
    ROTA_TRY(start_role("coordinator", 0));
    // Its port may be any.  If it ends before it listens, no other process is needed to report why.
    while (job_.network.over_tcp() && (coordinator().ended() || !processes_.learn_address())) {
      if (coordinator().ended() && !should_restart(roles_.front())) return {};
      wait(kAddressPollSpan);
      take_signals();
      ROTA_TRY(restart());
    }
    if (job_.network.coordinator_only) return {};
    for (const auto& [role, option] :
         {std::pair{"scheduler", "schedulers"}, {"worker", "workers"}, {"kvstore", "stores"}})
      for (std::int64_t i = 0; i < job_.options.integer(option); ++i) ROTA_TRY(start_role(role, i));
    const std::int64_t workers = job_.options.integer("workers");
    for (std::int64_t i = 0; i < job_.options.integer("spares"); ++i) ROTA_TRY(start_role("worker", workers + i));
    return {};
  }

  Status watch() {
    while (!coordinator().ended() || should_restart(roles_.front())) {
      wait(kPollSpan);
      read_records();
      progress_.tick();
      take_signals();
      ROTA_TRY(restart());
      look_for_lost();
    }
    read_records();
    return outcome();
  }

 private:
  struct Role {
    std::string role;
    std::int64_t index = 0;
    std::unique_ptr<Child> child;
    Nanoseconds lost_at = 0;  // when it was seen to have ended while the job ran
    bool reported = false;
    std::optional<Nanoseconds> restart_at = {};  // when to restart it
    Nanoseconds started_at = 0;
    bool out_of_reach = false;  // its machine; the others do its work
  };

  Child& coordinator() { return *roles_.front().child; }

  Status start_role(const std::string& role, std::int64_t index) {
    ROTA_ASSIGN(auto child, processes_.start(role, index, job_.resume));
    roles_.push_back({role, index, std::move(child)});
    roles_.back().started_at = now_ns();
    return {};
  }

  // Until something happens; the caller handles signals.
  void wait(Nanoseconds most) {
    std::vector<pollfd> waits{pollfd{signals_.fd(), POLLIN, 0}};
    processes_.add_polls(waits);
    ::poll(waits.data(), waits.size(), static_cast<int>(most / kMillisecond));
    processes_.work();
  }

  // Whether to restart a process that has ended: it was killed or lacked something, and the job continues.
  bool should_restart(Role& role) {
    if (role.restart_at) return true;
    if (!restarts_wanted_ || end_ || stops_ > 0 || abandoned_ || role.out_of_reach) return false;
    const Child& child = *role.child;
    // What is missing at the start is mostly missing the next time, too.
    const bool lacks = !begun_ && !child.killed() && restarts_.count(child.name()) > 0;
    if (!child.killed() && child.exit_code() != static_cast<int>(ExitCode::temporary)) return false;
    if (moves_ && begun_ && role.role == "worker" && others_work(role)) return false;
    if (&role == &roles_.front() && (read_records(), end_)) return false;
    // No agent could start it, and the coordinator has given it up.
    const bool no_agent = begun_ && role.role == "worker" && child.pid() == 0 && others_work(role);
    if (!lacks && !(no_agent && gone_.contains(child.name()))) role.restart_at = restarts_.next(child.name(), now_ns());
    if (role.restart_at) {
      progress_.say("rota: " + child.name() + " ended with " + child.how() + "; restarting it (" +
                    std::to_string(restarts_.count(child.name())) + " of " + std::to_string(Restarts::kMost) +
                    " times without a new checkpoint)");
      return true;
    }
    if (no_agent) {
      progress_.say("rota: " + child.name() + " ended with " + child.how() +
                    "; it is not restarted, the others take its shards");
      role.out_of_reach = role.reported = true;
      return false;
    }
    const bool crashed = code_of(child) == ExitCode::bug;
    abandoned_ =
        Status(crashed ? ExitCode::bug : ExitCode::temporary,
               child.name() + " was restarted " + std::to_string(restarts_.count(child.name())) +
                   " times without a new checkpoint, and ended with " + (lacks ? with_log(child) : child.how()));
    end_coordinator();
    return false;
  }

  // Some other worker, which can take its shards.
  bool others_work(const Role& role) {
    std::int64_t count = 0;
    for (Role& other : roles_) count += other.role == "worker" && &other != &role && !other.child->ended();
    return count >= job_.options.integer("min_workers");
  }

  Status restart() {
    for (Role& role : roles_) {
      if (!role.restart_at || now_ns() < *role.restart_at) continue;
      role.restart_at.reset();
      if (end_ || stops_ > 0) continue;
      const bool coordinates = &role == &roles_.front();
      ROTA_ASSIGN(role.child, processes_.start(role.role, role.index, job_.resume || coordinates));
      role.started_at = now_ns();
      role.lost_at = 0;
      role.reported = false;
    }
    return {};
  }

  // Without waiting for a checkpoint.
  void end_coordinator() {
    coordinator().signal(SIGTERM);
    escalate_at_ = now_ns() + kStopSpan;
    stops_ = 2;
    stop_signal_ = SIGTERM;
  }

  // A process that still exists and may hang, though the job does not wait for it, or waits for another one in its
  // place.
  void end_hung(const std::string& event, const nlohmann::json& record) {
    for (Role& role : roles_) {
      if (!restarts_wanted_ || role.child->name() != text_in(record, "role")) continue;
      const bool abandoned =
          (event == "lost" || event == "left") && static_cast<double>(role.child->pid()) == number_in(record, "pid");
      // A restarted coordinator waits for a process that has hung since before the restart.
      const bool silent = event == "unresponsive" && role.started_at < roles_.front().started_at;
      if (abandoned || silent) role.child->signal(SIGKILL);
    }
  }

  void read_records() {
    events_.read([this](std::string_view line) { take_record(line); });
  }

  void take_record(std::string_view line) {
    const auto record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object()) return;
    const std::string event = text_in(record, "event"), role = text_in(record, "role");
    if (event == "joined") joined_.insert(role), gone_.erase(role);
    if (event == "left") joined_.erase(role);
    if (event == "hosts") begun_ = true;
    // The job continues without these.
    if (begun_ && (event == "left" || event == "abandoned" || (event == "lost" && moves_))) gone_.insert(role);
    if (event == "end") end_ = record;
    if (event == "checkpoint") restarts_.progress();
    end_hung(event, record);
    progress_.record(record, line);
  }

  void take_signals() {
    while (const int number = signals_.take())
      if (number != SIGCHLD) stop(number);
    // The first signal asks for a checkpoint, and the user decides how long to wait for it.
    if (stops_ > 1 && now_ns() >= escalate_at_) stop(stop_signal_);
  }

  // A signal that this process got.
  void stop(int number) {
    if (stops_ == 1 && now_ns() - stopped_at_ < kSameSignal) return;
    if (++stops_ == 1) stopped_at_ = now_ns();
    if (stops_ == 1) progress_.say("rota: stopping; a second signal stops without a checkpoint");
    coordinator().signal(stops_ > 2 ? SIGKILL : number == SIGINT ? SIGINT : SIGTERM);
    stop_signal_ = number;
    escalate_at_ = now_ns() + kStopSpan;
  }

  void look_for_lost() {
    const Nanoseconds now = now_ns();
    for (Role& role : std::span(roles_).subspan(1)) {
      if (!role.child->ended() || end_ || role.restart_at || should_restart(role)) continue;
      if (role.lost_at == 0) role.lost_at = now;
      if (now - role.lost_at < kExitReportGrace) continue;
      if (!role.reported) report_lost(role);
      // The coordinator never admitted it, or released it while others were awaited, and would wait until its timeout.
      if (joined_.contains(role.child->name()) || gone_.contains(role.child->name()) || abandoned_) continue;
      const ExitCode code = code_of(*role.child);
      abandoned_ = Status(code == ExitCode::ok ? ExitCode::failed : code,
                          role.child->name() + " ended before it joined: " + role.child->how());
      end_coordinator();
    }
  }

  void report_lost(Role& role) {
    role.reported = true;
    // It left, and the coordinator agreed.
    if (gone_.contains(role.child->name()) && !role.child->killed()) return;
    if (!role.child->killed() && role.child->exit_code() == 0) return;
    progress_.say("rota: " + role.child->name() + " ended with " + with_log(*role.child));
  }

  static std::string with_log(const Child& child) {
    const std::string lines = child.log_end(kLogLines);
    if (child.log().empty()) return child.how() + (lines.empty() ? "" : "; the end of its log there:\n" + lines);
    return child.how() + (lines.empty() ? "; " + child.log().string() + " is empty"
                                        : "; the end of " + child.log().string() + ":\n" + lines);
  }

  static ExitCode code_of(const Child& child) {
    if (!child.killed()) return static_cast<ExitCode>(child.exit_code());
    return is_crash(child.exit_code() - 128) ? ExitCode::bug : ExitCode::temporary;
  }

  Status outcome() {
    const Child& child = coordinator();
    if (abandoned_) return *abandoned_;
    // After its last record nothing is left to do.
    if (end_ && number_in(*end_, "exit", -1) == 0) return {};
    const ExitCode code = code_of(child);
    const std::string said = end_ ? text_in(*end_, "what") : "";
    // Its last event may be missing for want of disk space; the result is there all the same.
    std::error_code error;
    if (code == ExitCode::ok && fs::exists(job_.run.result(), error)) return {};
    if (code == ExitCode::ok) return {ExitCode::bug, "the coordinator exited without reporting a result"};
    // Of killed processes the logs may say more than the coordinator does.
    const Child* crashed = nullptr;
    for (Role& role : std::span(roles_).subspan(1)) {
      if (!role.child->ended() || !role.child->killed()) continue;
      if (!role.reported) report_lost(role);
      if (crashed == nullptr && code_of(*role.child) == ExitCode::bug) crashed = role.child.get();
    }
    if (code == ExitCode::temporary && crashed != nullptr)
      return {ExitCode::bug, said + "; " + crashed->name() + " ended with " + crashed->how()};
    if (!said.empty()) return {code, said};
    return {code, "the coordinator ended with " + with_log(child)};
  }

  // Waits until all have ended, at most `span`.
  bool wait_for_all(Nanoseconds span) {
    const Nanoseconds until = now_ns() + span;
    while (true) {
      const bool all = std::ranges::all_of(roles_, [](Role& role) { return role.child->ended(); });
      if (all || now_ns() >= until) return all;
      wait(kPollSpan);
      while (signals_.take() != 0) continue;
    }
  }

  void end_all() {
    // The others were not dismissed if the coordinator is still there, or never admitted one.
    const bool dismissed = !roles_.empty() && coordinator().ended() && end_ && !joined_.empty();
    if (dismissed && wait_for_all(kEndSpan)) return;
    for (Role& role : roles_) role.child->signal(SIGTERM);
    if (wait_for_all(kKillSpan)) return;
    for (Role& role : roles_) role.child->signal(SIGKILL);
    wait_for_all(kKillSpan);
  }

  const LocalJob& job_;
  Progress& progress_;
  Signals signals_;
  JobProcesses processes_;
  std::vector<Role> roles_;  // the coordinator first
  LineTail events_;          // what the coordinator records
  std::set<std::string> joined_, gone_;
  bool begun_ = false;  // shards are hosted
  std::optional<nlohmann::json> end_;
  bool restarts_wanted_ = false, moves_ = false;
  Restarts restarts_;
  std::optional<Status> abandoned_;
  int stops_ = 0;
  int stop_signal_ = 0;
  Nanoseconds stopped_at_ = 0;
  Nanoseconds escalate_at_ = 0;
};

}  // namespace

Status supervise(const LocalJob& job, Progress& progress) {
  ROTA_ASSIGN(auto sockets, PrivateFolder::make("rota-job-"));
  Supervisor supervisor(job, progress);
  ROTA_TRY(supervisor.start(sockets.path()));
  return supervisor.watch();
}

}  // namespace rota
