// apps/linear/plugin.cc -- linear models, to the optimum.  README.md has the mathematics.
#include "rota/plugin.h"

#include <utility>

#include "apps/linear/solvers.h"

namespace rota::optimum {
namespace {

// Follows the plan that pull replies, until the optimum is reached.
class SolverSchedule final : public Schedule {
 public:
  // `epochs`: at most.
  explicit SolverSchedule(std::uint64_t epochs) : epochs_(epochs) {}

  std::uint32_t pipeline(std::uint32_t) const override { return 1; }
  Feedback wish() const override { return Feedback::reply; }
  Round next(Random&) override {
    Round round;
    round.table = linear::kWeights;
    round.open = true;
    round.argument = Argument(plan_);
    round.ends_epoch = plan_.next == Step::search || plan_.next == Step::closing_gradient;
    if (round.ends_epoch) round.ends_job = ++done_ == epochs_;
    return round;
  }
  void feedback(const Commit& commit) override { plan_ = read_fields<Plan>(commit.reply); }
  std::vector<Figure> figures() override { return {{"distance", plan_.distance}}; }
  std::optional<bool> converged() const override { return plan_.converged; }
  bool may_end_job() const override { return true; }
  bool ends_job() override { return plan_.converged || plan_.stuck; }

  void state(Archive& list) override { list(plan_, done_); }

 private:
  Plan plan_;
  std::uint64_t epochs_;
  std::uint64_t done_ = 0;  // epochs
};

class SolverApp final : public linear::LinearApp {
 public:
  explicit SolverApp(const Job& job)
      : LinearApp(job, settings_of(job.options)),
        settings_(settings_of(job.options)),
        is_svrg_(settings_.solver == Solver::svrg) {}

  std::vector<Table> tables(const Facts& facts) const override {
    Table table = weights(facts);
    table.single_partition = true;  // a pull makes the steps of all rows together
    if (!is_svrg_) table.part_width = newton_part_width(table.keys, outputs_of(facts));
    return {table};
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<SolverSchedule>(settings_.epochs);
  }
  std::unique_ptr<Push> make_push(linear::ShardData data) const override {
    return is_svrg_ ? svrg_push(settings_, std::move(data)) : newton_push(settings_, std::move(data));
  }
  std::unique_ptr<Pull> pull(const Facts& facts) const override {
    return is_svrg_ ? svrg_pull(settings_, facts) : newton_pull(settings_, facts);
  }

 private:
  const Settings settings_;
  const bool is_svrg_;
};

constexpr Needs kNoFeedback = {"apps whose rounds do not wait for feedback", never};
constexpr FrameworkNeeds kNeeds[] = {
    {"asynchronous", kNeverLags}, {"staleness", kNeverLags}, {"pipeline", kNoFeedback}};

Plugin plugin() {
  return plugin_of<SolverApp>({.name = "linear",
                               .summary = "linear models of classes and numbers, to the optimum",
                               .items = "rows",
                               .options = declared_options<Settings>(),
                               .epochs = 0,  // the schedule ends the job
                               .takes_model = true,
                               .akin_to = "sgd",
                               .packed_format = linear::kPackedFormat,
                               .packed_options = linear::kPackedOptions,
                               .check = [](const Options& options) { (void)settings_of(options); },
                               .framework_needs = kNeeds,
                               .export_text = linear::export_text,
                               .commands = linear::commands()});
}

}  // namespace
}  // namespace rota::optimum

ROTA_PLUGIN(rota::optimum::plugin);
