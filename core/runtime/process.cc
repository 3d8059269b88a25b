#include "core/runtime/process.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "core/base/clock.h"
#include "core/base/failpoint.h"
#include "core/base/log.h"
#include "core/base/process_limits.h"
#include "core/base/rate_limit.h"
#include "core/base/start_number.h"
#include "core/base/version.h"
#include "core/runtime/compute.h"
#include "core/runtime/heartbeat_thread.h"
#include "core/runtime/listening.h"
#include "core/runtime/own_usage.h"
#include "core/runtime/polling.h"
#include "core/wire/link.h"
#include "core/wire/zmq_transport.h"

namespace rota {

namespace {

// Of the loop, ZeroMQ, the authenticator, what beats and logs, and some of libraries.
constexpr std::size_t kOwnThreads = 8;
constexpr int kBusyTickMs = 50;
constexpr int kIdleTickMs = 500;
// How long a process that ends waits for hooks of the plugin.
constexpr Nanoseconds kHookMost = 10 * kSecond;
// Work that is done at once, instead of by a compute thread, which would be woken each time while the loop's thread
// waits.  Several threads do it side by side from kBriefBesideOthers on: below, two cores with caches of their own need
// as long for a step of PageRank as one.  Up to kBrief for each of them, the loop's is one of these.
constexpr Nanoseconds kBrief = 2'000'000, kBriefBesideOthers = 160'000;
// While such work follows on such work, connections and observers are looked at this often.
constexpr Nanoseconds kLookEvery = 2 * kMillisecond;
// Messages handled in a row before what they caused is sent.
constexpr int kBatch = 256;
// Limit of log lines about refusals: a burst of this many, then one per span.
constexpr std::uint64_t kRefusalLines = 20;
constexpr Nanoseconds kRefusalSpan = 10 * kSecond;

// Signals reach the loop through these two; a handler may do no more.
std::atomic<int> caught_signal{0};
std::atomic<Transport*> signalled{nullptr};

void on_signal(int signal) {
  const int saved = errno;
  caught_signal = signal;
  if (Transport* transport = signalled) transport->wake();
  errno = saved;
}

// While there is one, the two signals that ask for an end wake the loop.
class SignalsCaught {
 public:
  explicit SignalsCaught(Transport& transport) {
    signalled = &transport;
    struct sigaction action = {};
    action.sa_handler = on_signal;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
  }
  ~SignalsCaught() { signalled = nullptr; }
  SignalsCaught(const SignalsCaught&) = delete;
  SignalsCaught& operator=(const SignalsCaught&) = delete;
};

std::terminate_handler ends_otherwise = nullptr;

[[noreturn]] void end_without(std::string_view line) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(static_cast<int>(ExitCode::temporary));
}

// Missing memory or a missing thread that nothing handles ends the process as a loss from which the run recovers, not
// as a bug.  Nothing here may allocate memory.
void on_terminate() {
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    end_without("event=end exit=75 what=\"no memory\"\n");
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again)
      end_without("event=end exit=75 what=\"no thread can be made\"\n");
  } catch (...) {
  }
  if (ends_otherwise != nullptr) ends_otherwise();
  std::abort();
}

// This thread passes on what others wait for, and sleeps again.  With a slice shorter than those of threads that
// compute it need not wait for the end of theirs when it is woken.  Linux has this since 6.12; others ignore it.
void ask_for_short_slice() {
  constexpr std::uint64_t kSlice = 100'000;  // ns, the least that there is
  struct {                                   // the system's sched_attr, which glibc 2.36 does not declare
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  } attributes = {};
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  if (attributes.policy != SCHED_OTHER) return;
  attributes.runtime = kSlice;
  ::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

// A core file would have the secret key in it, and is often readable by more than its process.
void keep_out_of_cores() {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

// The first process of a container is spared the signals that it does not handle: Ctrl-C would not end `rota shard`.
void end_by_signals_if_first() {
  if (::getpid() != 1) return;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, [](int caught) { ::_exit(128 + caught); });
}

Result<std::unique_ptr<ZmqTransport>> open_transport(NodeId process, const JobConfig& config, unsigned threads,
                                                     std::uint64_t incarnation) {
  // ZeroMQ, which is to make some, would abort.
  ROTA_TRY(check_threads(kOwnThreads + threads));
  ROTA_ASSIGN(const Listening at, listening_of(process, config, incarnation));
  std::shared_ptr<const Keys> keys;
  if (at.ipc.empty() && !config.keys.empty()) {
    ROTA_ASSIGN(keys, read_keys(config.keys, process.role).in("--keys"));
    keep_out_of_cores();
  }
  auto transport = ZmqTransport::open(at, config.message_bytes_max, keys, config.peer_timeout);
  if (transport.ok()) log_info("event=listening address=" + log_value((*transport)->endpoint()));
  return transport;
}

// Adds up spans of time.
class Stopwatch {
 public:
  void start(Nanoseconds now) { began_ = now; }
  void stop(Nanoseconds now) {
    sum_ = total(now);
    began_.reset();
  }
  Nanoseconds total(Nanoseconds now) const { return began_ ? sum_ + now - *began_ : sum_; }

 private:
  Nanoseconds sum_ = 0;
  std::optional<Nanoseconds> began_;
};

// One thread at a time holds the process' turn: it gives the nodes messages and completions, and no other thread
// accesses them.  Mostly it is the loop's, which alone uses the transport; in between, a compute thread that finished a
// chained task.
class Loop {
 public:
  Loop(NodeId process, unsigned threads, Transport& transport, Host& host)
      : transport_(transport),
        host_(host),
        main_(process),
        threads_(threads),
        compute_(
            threads, [&transport] { transport.wake(); }, [this] { run_chained_completions(); }) {
    world_.usage = [this] {
      Outbox::Usage usage = usage_.read();
      usage.wire += carrying_.total(world_.now);
      return usage;
    };
  }

  Ending run() {
    ask_for_short_slice();
    while (true) {
      std::unique_lock turn(turn_);
      if (host_.ended()) break;
      bool more = run_once();
      const bool look = world_.now >= looked_ + kLookEvery;
      const Nanoseconds tick = next_tick_;
      const bool shares = shares_;
      const bool works = host_.has_work() && !shares;
      const bool ended = host_.ended().has_value();
      turn.unlock();
      if (shares && !ended && help()) more = true;
      // What ended meanwhile was left to this thread.
      if ((!more || look) && !ended && !compute_.has_chained()) wait(more ? 0 : tick, works);
    }
    const std::scoped_lock turn(turn_);
    send();
    return *host_.ended();
  }

  // Whether nothing runs any more, after at most this long.
  bool close(Nanoseconds most) { return compute_.close(most); }

 private:
  // Whether more has come already.
  bool run_once() {
    refresh();
    carrying_.start(world_.now);
    // What others wait for goes before what this process does for itself: compute threads have left it to this one.
    send();
    // Before the tick, which looks for silent peers: a process that was suspended has unread messages.
    const bool more = receive();
    for (auto& ended : compute_.take_ended()) {
      refresh();
      host_.finish(ended.node, ended.continuation, world_);
    }
    send();
    host_.deliver_local(world_);
    signals();
    if (world_.now >= next_tick_) {
      world_.memory = peak_memory();
      host_.tick(world_);
      log_rejected_connections();
      next_tick_ = world_.now + (host_.busy() ? kBusyTickMs : kIdleTickMs) * kMillisecond;
    }
    send();
    start();
    send();
    for (const NodeId peer : host_.take_forgotten()) transport_.forget(peer);
    if (host_.busy()) next_tick_ = std::min(next_tick_, world_.now + kBusyTickMs * kMillisecond);
    carrying_.stop(now_ns());
    return more || host_.has_started();
  }

  // Of what is started next.
  bool is_brief() const { return host_.expected() <= (threads_ == 1 ? kBrief : kBriefBesideOthers); }
  bool is_shared() const { return threads_ > 1 && host_.expected() <= kBrief * threads_; }

  void start() {
    if (!host_.has_started()) return;
    if (!is_brief()) {
      shares_ = is_shared();
      return compute_.start(host_.take_started(), shares_ ? Compute::Starter::helps : Compute::Starter::waits);
    }
    for (auto& one : host_.take_started()) {
      do_here(one);
      if (!one.chained) continue;
      // Others may wait for what it made, and have sent what comes next.
      send();
      receive();
    }
    host_.deliver_local(world_);
  }

  void do_here(Outbox::Started& started) {
    carrying_.stop(now_ns());
    const Continuation continuation = started.work();
    refresh();
    carrying_.start(world_.now);
    host_.finish(started.node, continuation, world_);
  }

  // On a compute thread.  If another has the turn, it checks for completions once more after it has given it back.
  void run_chained_completions() {
    bool spoken = false;
    while (compute_.has_chained()) {
      const std::unique_lock turn(turn_, std::try_to_lock);
      if (!turn) break;
      for (auto& ended : compute_.take_chained()) {
        refresh();
        host_.finish(ended.node, ended.continuation, world_);
      }
      const bool brief = host_.has_started() && is_brief();  // then it is the loop's
      if (host_.has_started() && !brief) {
        shares_ = is_shared();
        compute_.start(host_.take_started(), Compute::Starter::works);
      }
      spoken = host_.has_spoken() || brief;
    }
    if (spoken) transport_.wake();
  }

  void refresh() {
    world_.now = now_ns();
    world_.bytes_sent = host_.bytes_sent();
  }

  bool receive() {
    for (int i = 0; i < kBatch; ++i) {
      auto frames = transport_.receive();
      if (!frames) return false;
      const std::uint64_t refused = host_.refused();
      host_.receive(*frames, world_, transport_.origin());
      if (host_.refused() != refused && refusals_.allows(world_.now))
        log_warning("event=refused count=" + std::to_string(host_.refused()) + " why=\"" + host_.last_refusal() + "\"");
    }
    return true;
  }

  void send() {
    while (auto out = host_.next(world_.now)) {
      if (!transport_.send(out->peer, out->endpoint, out->frames)) host_.not_taken(out->peer);
    }
    transport_.flush();
    host_.sent();
  }

  // Whether there was something to do.
  bool help() { return compute_.help(kBrief, now_ns() + kLookEvery); }

  // `works`: whether compute threads do, which may want this core.
  void wait(Nanoseconds until, bool works) {
    const Nanoseconds began = now_ns(), left = until - began;
    bool come = left <= 0;
    if (!come && !works && messages_come_soon_) {
      come = transport_.poll(kPollMost);
      if (come && now_ns() < looked_ + kLookEvery) return;  // wait() would cost some system calls
    }
    const auto events = transport_.wait(come ? 0 : static_cast<int>(left / kMillisecond) + 1);
    const std::scoped_lock turn(turn_);
    refresh();
    looked_ = world_.now;
    if (left > 0) messages_come_soon_ = world_.now - began < kSoon;
    for (const NodeId peer : events.writable) host_.writable(peer);
    for (const NodeId peer : events.disconnected) host_.disconnected(peer, world_);
    for (const auto& [peer, why] : events.refused) {
      if (refusals_.allows(world_.now)) log_warning("event=keys peer=" + peer.name() + " why=" + log_value(why));
      host_.keys_refused(peer, why, world_.now);
    }
  }

  void log_rejected_connections() {
    const auto away = transport_.rejected_connections();
    if (away.count == rejected_connections_ || !strangers_.allows(world_.now)) return;
    log_warning("event=rejected_connections count=" +
                std::to_string(away.count - std::exchange(rejected_connections_, away.count)) +
                " last=" + log_value(away.last));
  }

  // The coordinator brings the whole job to a clean end.  Other roles ask it to: a Ctrl-C reaches all processes of a
  // terminal at once, and only SIGTERM is meant for the one that gets it.
  void signals() {
    const int signal = caught_signal.exchange(0);
    if (signal == 0) return;
    const ExitCode code = signal == SIGINT ? ExitCode::interrupted : ExitCode::terminated;
    if (main_ == kCoordinator) return host_.tell(kCoordinator, Stop{code, "stopped by a signal"}, world_);
    if (signal == SIGTERM) host_.end_requested(main_.name() + " was asked to end (SIGTERM)", world_.now);
  }

  Transport& transport_;
  Host& host_;
  NodeId main_;
  const unsigned threads_;
  std::mutex turn_;
  bool shares_ = false;  // this thread helps with what compute threads do; guarded by turn_
  const OwnUsage usage_;
  Outbox::World world_;              // guarded by turn_, as host_
  Nanoseconds next_tick_ = 0;        // guarded by turn_
  Nanoseconds looked_ = 0;           // when all connections were looked at last; the loop's alone
  Stopwatch carrying_;               // the loop's time with messages and nodes, not with work; guarded by turn_
  bool messages_come_soon_ = false;  // the last wait was short; the loop's alone
  // Any process that reaches the socket can cause such lines; those about unknown peers do not hide those about key
  // holders.
  RateLimit refusals_{kRefusalLines, kRefusalSpan}, strangers_{kRefusalLines, kRefusalSpan};
  std::uint64_t rejected_connections_ = 0;
  Compute compute_;  // last: its threads use the others
};

HostSettings host_settings(NodeId process, const JobConfig& config, std::uint64_t incarnation,
                           const std::string& endpoint) {
  return {process,
          incarnation,
          config.hash.low,
          endpoint,
          config.peer_timeout,
          config.start_timeout,
          config.on_loss == OnLoss::stop ? 0 : config.rejoin_timeout,
          piece_bytes_for(config.message_bytes_max)};
}

Joins joins(const JobConfig& config) {
  return config.joins == "new" ? Joins::as_new : config.joins == "spare" ? Joins::as_spare : Joins::as_named;
}

}  // namespace

Status begin_process() {
  ends_otherwise = std::set_terminate(on_terminate);
  end_by_signals_if_first();
  ROTA_TRY(take_limits());
  return arm_failpoints();
}

Ending run_process(NodeId process, unsigned threads, Transport& transport, Host& host) {
  Loop loop(process, threads, transport, host);
  const Ending ending = loop.run();
  // A hook that never returns would keep the process for ever.
  if (!loop.close(kHookMost)) {
    log_error("event=end role=" + process.name() + " exit=" + std::to_string(static_cast<int>(ending.code)) +
              " what=" + log_value(ending.what + "; a hook of the plugin does not return"));
    std::_Exit(static_cast<int>(ending.code));
  }
  return ending;
}

Ending run_coordinator(const JobConfig& config, std::unique_ptr<Node> node,
                       const std::function<Status(const std::string& address)>& listening) {
  const auto incarnation = new_start_number();
  auto transport = open_transport(kCoordinator, config, 1, incarnation);
  if (!transport.ok()) return {transport.status().code(), transport.status().what()};
  const Status reported = listening((*transport)->endpoint());
  if (!reported.ok()) return {reported.code(), reported.what()};
  Host host(host_settings(kCoordinator, config, incarnation, (*transport)->endpoint()));
  host.add(std::move(node));
  const SignalsCaught caught(**transport);
  return run_process(kCoordinator, 1, **transport, host);
}

Ending run_member(Role role, const JobConfig& config, const Hash128& plugin, Host::Factory factory) {
  const NodeId process{role, config.index};
  const unsigned threads = role == Role::worker ? config.threads : 1;
  const auto incarnation = new_start_number();
  auto transport = open_transport(process, config, threads, incarnation);
  if (!transport.ok()) return {transport.status().code(), transport.status().what()};
  const std::string& endpoint = (*transport)->endpoint();
  Host host(host_settings(process, config, incarnation, endpoint));
  const auto pid = static_cast<std::uint64_t>(getpid());
  const Hello hello{endpoint, kVersion, config.hash, incarnation, pid, host_name(), joins(config), plugin};
  host.join(config.coordinator, hello, std::move(factory), now_ns());
  const SignalsCaught caught(**transport);
  // An ACK that acknowledges nothing: a sign of life.
  const Header header{
      .job = config.hash.low, .process = process, .incarnation = incarnation, .from = process, .to = kCoordinator};
  const auto say = [send = (*transport)->side_channel(Role::coordinator, config.coordinator),
                    frames = with_header(header, encode_message(Ack{kSignOfLife}))] { return send(frames); };
  const std::jthread heartbeats =
      heartbeat_thread(hook_slot_of_this_thread(), std::min(kSecond, config.peer_timeout / 4), say);
  return run_process(process, threads, **transport, host);
}

}  // namespace rota
