// An app for run_records_test.py: one shared row that counts epochs, and hooks that fail by options while a file does
// not exist.
#include <rota/exchange/dataflows.h>
#include <rota/plugin.h>
#include <rota/schedules/sweep.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <ostream>

namespace {
using namespace rota;

constexpr Option kOptions[] = {
    {.name = "fail", .meaning = "The hook that fails."},
    {.name = "how", .default_value = "other", .meaning = "data, usage, input, other, or a mistake of the hook."},
    {.name = "mended", .kind = Option::Kind::path, .meaning = "The file that ends the fault."},
};

// The mistake that the hook is to make, if it is none of the exceptions.
std::string_view enter(const Options& options, std::string_view hook) {
  if (options.text("fail") != hook || std::filesystem::exists(options.text("mended"))) return {};
  const std::string_view how = options.text("how");
  if (how == "data") throw DataError("data.txt", 7, "not a number");
  if (how == "usage") throw UsageError("these do not go together");
  if (how == "input") throw NoInput("data.txt: none");
  if (how == "other") throw std::runtime_error("it broke");
  return how;
}

class CountPush final : public SharedPush {
 public:
  explicit CountPush(Options options) : options_(std::move(options)) {}
  std::uint64_t items() const override { return 1; }
  std::uint64_t push(const SharedTask& task, Random&) override {
    const std::string_view mistake = enter(options_, "push");
    if (mistake == "nan") task.entries[0].part[0] = std::nan("");
    if (mistake == "part_width") task.entries[0].part[1] = 1;
    if (mistake == "row") task.parts[7][0] = 1;
    if (mistake == "argument") task.argument.as<double>();
    task.parts[0][0] += 1;
    return 1;
  }
  void evaluate(Terms terms) const override { terms[enter(options_, "evaluate") == "term" ? "half" : "halves"] += 0.5; }

 private:
  Options options_;
};

class CountPull final : public Pull {
  void pull(const PullTask& task) override { task.entries[0].value[0] += task.entries[0].sum[0]; }
};

class CountSchedule final : public RoundRobinSchedule {
 public:
  explicit CountSchedule(Options options) : RoundRobinSchedule(0, 1, 1), options_(std::move(options)) {}
  Round next(Random& random) override {
    Round round = RoundRobinSchedule::next(random);
    const std::string_view mistake = enter(options_, "next");
    if (mistake == "table") round.table = 1;
    if (mistake == "open") round.shared.clear(), round.open = true;
    if (mistake == "kind") round.shared.clear(), round.dataflow = 0;
    return round;
  }

 private:
  Options options_;
};

class FaultyApp final : public App {
 public:
  explicit FaultyApp(const Job& job) : job_(job) {}
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    if (enter(job_.options, "load") == "option") job_.options.integer("hoow");
    std::vector<std::unique_ptr<Push>> shards;
    for (std::size_t i = 0; i < hosted.size(); ++i) shards.push_back(std::make_unique<CountPush>(job_.options));
    return shards;
  }
  std::vector<Table> tables(const Facts& facts) const override {
    want_input();
    if (enter(job_.options, "tables") == "fact") facts.count("rowz");
    return {{"count", Table::Kind::shared, 1, 1, 1}};
  }
  std::vector<Term> terms() const override { return {{"halves", Term::Kind::objective}}; }
  std::vector<Dataflow> dataflows(const Facts&) const override { return {all_dataflow(job_.shards)}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<CountSchedule>(job_.options);
  }
  std::unique_ptr<Pull> pull(const Facts&) const override {
    want_input();
    return std::make_unique<CountPull>();
  }

 private:
  // Stores and schedulers get the input's path, if it is on their machine.
  void want_input() const {
    if (job_.input.empty()) throw std::runtime_error("no input is known here");
  }
  Job job_;
};

Plugin make() {
  Plugin plugin;
  plugin.name = "faulty";
  plugin.items = "things";
  plugin.epochs = 3;
  plugin.options = kOptions;
  plugin.check = [](const Options& options) { enter(options, "check"); };
  plugin.app = [](const Job& job) -> std::unique_ptr<App> { return std::make_unique<FaultyApp>(job); };
  plugin.export_text = [](const Model& model, const std::filesystem::path& folder) {
    enter(model.job().options, "export");
    std::ofstream(folder / "count.txt") << model.row(0, 0)[0] << "\n";
  };
  static constexpr Command kCommands[] = {{"show", "Prints the count.", {}, [](const Call& call, std::ostream& out) {
                                             out << call.model->row(0, 0)[0] << " of";
                                             for (const std::string& file : call.model->job().input) out << " " << file;
                                             out << "\n";
                                           }}};
  plugin.commands = kCommands;
  return plugin;
}
}  // namespace

ROTA_PLUGIN(make);
