// A plugin for the system tests whose options choose faults: hooks that are slow, hang, or end their process.  Its
// model is one row that every shard adds its points to.
#include <rota/plugin.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

namespace {

using namespace rota;

constexpr std::int64_t kRoundsAnEpoch = 3;

constexpr Option kOptions[] = {
    {.name = "sleep_in", .meaning = "Hooks that take long, once in each process; names separated by commas."},
    {.name = "sleep_seconds", .kind = Option::Kind::real, .default_value = "1", .meaning = "How long.", .least = 0},
    {.name = "slow_ms", .kind = Option::Kind::real, .default_value = "0", .meaning = "Of every push.", .least = 0},
    {.name = "crash_in", .meaning = "The hook that ends its process."},
    {.name = "crash_round", .kind = Option::Kind::integer, .default_value = "0", .meaning = "When.", .least = 0},
    {.name = "crash_how", .default_value = "segv", .meaning = "segv, abort, overflow, or hang: it never returns."},
    {.name = "crash_once", .meaning = "A file that is made then, and that keeps it from happening again."},
};

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// Overflows any stack; the result is unknown to the compiler.  Each call uses the room of the one before, so that the
// recursion cannot become a loop.
int overflow(volatile int* depth, volatile char* above) {
  volatile char room[4096];
  room[0] = static_cast<char>(*depth + above[0]);
  *depth = *depth + 1;
  return *depth < 0 ? 0 : overflow(depth, room) + room[0];
}

void crash(std::string_view how) {
  if (how == "abort") std::abort();
  while (how == "hang") sleep_for(3600);
  volatile int depth = 0;
  volatile char room = 0;
  if (how == "overflow") std::raise(overflow(&depth, &room) == 1 ? SIGTERM : SIGKILL);
  volatile std::uintptr_t nowhere = 8;
  *reinterpret_cast<volatile int*>(nowhere) = 1;
}

void trouble(const Options& options, std::string_view hook, RoundId round = 0) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> slept;
  const std::string list = "," + std::string(options.text("sleep_in")) + ",";
  if (list.find("," + std::string(hook) + ",") != list.npos) {
    const bool first = [&] {
      const std::scoped_lock lock(mutex);
      return slept.emplace(hook).second;
    }();
    if (first) sleep_for(options.real("sleep_seconds"));
  }
  if (options.text("crash_in") != hook || static_cast<RoundId>(options.integer("crash_round")) != round) return;
  if (options.has("crash_once")) {
    // Made by the first of all processes.
    std::FILE* const made = std::fopen(std::string(options.text("crash_once")).c_str(), "wx");
    if (made == nullptr) return;
    std::fclose(made);
  }
  crash(options.text("crash_how"));
}

class TroublePush final : public SharedPush {
 public:
  TroublePush(const Job& job, ShardId shard) : options_(job.options), shard_(shard) {}
  std::uint64_t items() const override { return 1; }
  void attach(const Shape&) override { trouble(options_, "attach"); }
  std::uint64_t push(const SharedTask& task, Random& random) override {
    if (options_.real("slow_ms") > 0) sleep_for(options_.real("slow_ms") / 1000);
    // Only one shard: otherwise two processes would crash at once, in any order.
    if (shard_ == 0) trouble(options_, "push", task.round);
    for (auto entry : task.entries) entry.part[0] += entry.value[0] / 8 + random.uniform() + shard_;
    return 1;
  }
  void refresh(const Commit& commit) override {
    trouble(options_, "refresh");
    seen_ = commit.deltas[0].value[0];
  }
  void evaluate(Terms terms) const override { terms["sum"] += seen_; }
  void state(Archive& list) override { list.reads() ? restore(*list.reader()) : save(*list.writer()); }
  void save(Writer& out) const {
    trouble(options_, "save");
    out.put(seen_);
  }
  void restore(Reader& in) { seen_ = in.get<double>(); }

 private:
  Options options_;
  ShardId shard_;
  double seen_ = 0;
};

class TroublePull final : public Pull {
 public:
  explicit TroublePull(const Job& job) : options_(job.options) {}
  void pull(const PullTask& task) override {
    trouble(options_, "pull", task.round);
    for (auto entry : task.entries) entry.value[0] = entry.sum[0] / 16;
  }

 private:
  Options options_;
};

class TroubleSchedule final : public Schedule {
 public:
  explicit TroubleSchedule(const Job& job) : options_(job.options) { trouble(options_, "schedule"); }
  Round next(Random&) override {
    trouble(options_, "next", ++count_);
    Round round;
    round.shared = {0};
    round.ends_epoch = count_ % kRoundsAnEpoch == 0;
    return round;
  }
  void feedback(const Commit&) override { trouble(options_, "feedback", count_); }
  void state(Archive& list) override { list.reads() ? restore(*list.reader()) : save(*list.writer()); }
  void save(Writer& out) const { out.put(count_); }
  void restore(Reader& in) { count_ = in.get<RoundId>(); }

 private:
  Options options_;
  RoundId count_ = 0;
};

class TroubleApp final : public App {
 public:
  explicit TroubleApp(const Job& job) : job_(job) {}
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    trouble(job_.options, "load");
    std::vector<std::unique_ptr<Push>> out;
    for (const ShardId shard : hosted) out.push_back(std::make_unique<TroublePush>(job_, shard));
    return out;
  }
  std::vector<Table> tables(const Facts&) const override {
    trouble(job_.options, "tables");
    return {{"row", Table::Kind::shared, 1, 1, 1}};
  }
  std::vector<Term> terms() const override { return {{"sum", Term::Kind::objective}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<TroubleSchedule>(job_);
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<TroublePull>(job_); }

 private:
  Job job_;
};

Plugin make() {
  Plugin plugin;
  plugin.name = "trouble";
  plugin.summary = "Makes trouble.";
  plugin.items = "points";
  plugin.options = kOptions;
  plugin.app = [](const Job& job) -> std::unique_ptr<App> { return std::make_unique<TroubleApp>(job); };
  return plugin;
}

}  // namespace

ROTA_PLUGIN(make);
