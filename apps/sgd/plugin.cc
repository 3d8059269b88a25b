// apps/sgd/plugin.cc -- linear models by stochastic gradient descent.  README.md has the mathematics.
#include "rota/plugin.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "apps/linear_models/shard_rows.h"
#include "apps/sgd/commands/trained_model.h"
#include "apps/sgd/exact/optimum.h"
#include "apps/sgd/initial_weights.h"
#include "apps/sgd/pull.h"
#include "apps/sgd/push.h"
#include "apps/sgd/settings.h"
#include "apps/sgd/tables.h"
#include "rota/error.h"
#include "rota/exchange/exchange_schedule.h"
#include "rota/io/number_text.h"
#include "rota/packed_app.h"
#include "rota/schedule.h"

namespace rota::sgd {
namespace {

// The largest mean, in deviations, of a column that replaces the intercept.
constexpr double kMostDeviations = 10, kMostDeviationsExact = 1e4;

// The open rounds of an epoch in which shards make steps, by --sync_rows, and their arguments.
struct RoundsOfEpoch {
  RoundsOfEpoch(std::uint64_t rows, std::uint32_t shards, std::uint64_t sync_rows, double rows_of_earlier_jobs)
      : count(std::max<std::uint64_t>(1, (rows + sync_rows - 1) / sync_rows)),
        rows_of_round(static_cast<double>(rows) / shards / static_cast<double>(count)),
        rows_before(rows_of_earlier_jobs) {}

  // Of the n-th round of the job, n = 0, 1, ...
  std::vector<double> argument(std::uint64_t n) const {
    return {static_cast<double>(n % count), static_cast<double>(count),
            rows_before + rows_of_round * static_cast<double>(n),
            rows_before + rows_of_round * static_cast<double>(n + 1)};
  }

  std::uint64_t count;
  double rows_of_round;  // of a shard, on average
  double rows_before;    // of a shard, on average, in earlier jobs
};

class SgdSchedule final : public Schedule {
 public:
  SgdSchedule(RoundsOfEpoch rounds, std::uint64_t epochs) : rounds_(rounds), last_(rounds.count * epochs) {}

  std::uint32_t pipeline(std::uint32_t) const override { return 0; }  // no choice depends on feedback
  Round next(Random&) override {
    Round round;
    round.table = kWeights;
    round.open = true;
    round.argument = rounds_.argument(done_);
    round.ends_epoch = ++done_ % rounds_.count == 0;
    round.ends_job = done_ == last_;
    return round;
  }

  void state(Archive& list) override { list(done_); }

 private:
  RoundsOfEpoch rounds_;
  std::uint64_t last_;  // round of the job
  std::uint64_t done_ = 0;
};

class SgdApp final : public PackedApp<linear::RowFacts, linear::RowData> {
 public:
  explicit SgdApp(const Job& job) : PackedApp(job), settings_(settings_of(job.options)) {
    check(job.options);
    if (settings_.stream && job.packed != nullptr)
      throw UsageError("--stream reads text again in every epoch; data by shard is read once, and kept in memory");
    if (job.initial == nullptr) return;
    initial_.emplace(*job.initial, settings_);
    settings_.least_keys = initial_->keys();
    settings_.form.names = initial_->names();
  }

  Loaded read(std::span<const ShardId> hosted) const override {
    linear::RowsRead data = linear::read_data(job_.input, job_.valid, settings_, job_.shards, hosted, packing());
    return {std::move(data.facts), std::move(data.hosted)};
  }
  std::vector<std::unique_ptr<Push>> make_pushes(Loaded loaded, std::span<const ShardId> hosted, Random&) override {
    const linear::RowFacts& read = loaded.common;
    const std::string name = job_.packed == nullptr ? job_.input.front() : job_.packed->name();
    linear::DataFacts facts = linear::facts_for(settings_, read, name);
    require_one_intercept(read, name);
    if (initial_) initial_->require_same(facts.classes, read.names);
    if (settings_.centres()) facts.centre = initial_ ? initial_->centre() : read.responses.mean;
    model_ = {facts.classes, facts.origins, read.names};
    auto scales =
        std::make_shared<const std::vector<FeatureScale>>(read.counts.scales(settings_, read.rows, facts.keys));
    const double slopes = unit_of_slopes(facts), steps = unit_of_steps(read.counts, *scales);
    const auto all = std::make_shared<const SharedData>(
        SharedData{settings_.in_units(slopes, steps), facts, std::move(scales), job_.seed, slopes, steps,
                   initial_ ? initial_->rows_before() : 0, first_squares(read.counts, slopes),
                   initial_ ? initial_->moves_of_intercept(facts.origins) : std::vector<double>()});
    std::vector<std::unique_ptr<Push>> out;
    for (std::size_t i = 0; i < hosted.size(); ++i) {
      linear::RowData data = std::move(loaded.hosted[i]);
      data.held_out.rows.keep_below(facts.keys);
      for (ShardRows* const rows : {&data.training, &data.held_out}) {
        linear::make_targets(settings_, facts, name, *rows);
        for (double& target : rows->targets) target -= facts.centre;
      }
      std::unique_ptr<linear::RowStream> stream;
      if (settings_.stream)
        stream =
            std::make_unique<linear::RowStream>(job_.input, settings_, facts, job_.shards, hosted[i], data.streamed);
      // Copied into its new layout, and then freed.
      out.push_back(push(hosted[i], all, data.training, std::move(data.held_out), std::move(stream)));
    }
    return out;
  }
  std::vector<Table> tables(const Facts& facts) const override {
    const std::uint32_t outputs = outputs_of(settings_, facts), width = outputs * settings_.state_width();
    moves_ = moves_of(facts);
    return {{.name = "weights",
             .keys = facts.count("keys"),
             .row_width = width,
             .part_width = settings_.is_exact() ? newton_part_width(facts.count("keys"), outputs) : width + 1,
             .single_partition = settings_.ends_at_optimum(),
             .dense = true,
             .started = initial_.has_value()}};
  }
  void start_row(const Facts&, TableId, Key key, std::span<double> row, Random&) const override {
    initial_->put_row(key, moves_, row);
  }
  std::vector<Dataflow> dataflows(const Facts&) const override { return dataflows_of(settings_.exchange, job_.shards); }
  std::vector<Term> terms() const override {
    std::vector<Term> terms = {{"loss", Term::Kind::normalised}, {"penalty", Term::Kind::normalised}};
    for (const char* name : {"progressive", "progressive_rows", "right"}) terms.push_back({name});
    if (settings_.held_out)
      for (const char* name : {"valid", "valid_rows", "valid_right"}) terms.push_back({name});
    return terms;
  }
  std::vector<Score> scores() const override {
    std::vector<Score> scores = {{.name = "progressive_loss", .term = "progressive", .count = "progressive_rows"}};
    const bool classes = settings_.loss != Loss::squared;
    if (classes) scores.push_back({.name = "accuracy", .term = "right", .better = Score::Better::larger});
    if (!settings_.held_out) return scores;
    scores.push_back({.name = "valid_loss", .term = "valid", .count = "valid_rows", .held_out = true});
    if (classes)
      scores.push_back({.name = "valid_accuracy",
                        .term = "valid_right",
                        .count = "valid_rows",
                        .better = Score::Better::larger,
                        .held_out = true});
    return scores;
  }
  std::unique_ptr<Schedule> schedule(const Facts& facts, Share) const override {
    if (settings_.ends_at_optimum()) return std::make_unique<PlanSchedule>(settings_.epochs);
    const RoundsOfEpoch rounds(facts.count("rows"), job_.shards, settings_.sync_rows, rows_before_job(facts));
    if (settings_.exchange == Exchange::store) return std::make_unique<SgdSchedule>(rounds, settings_.epochs);
    const auto dataflows = static_cast<std::uint32_t>(dataflows_of(settings_.exchange, job_.shards).size());
    return std::make_unique<ExchangeSchedule>(
        kWeights, ExchangeSchedule::Epochs{.rounds = rounds.count, .dataflows = dataflows, .most = settings_.epochs},
        [rounds](std::uint64_t n) { return rounds.argument(n); });
  }
  std::unique_ptr<Pull> pull(const Facts& facts) const override {
    const std::uint32_t outputs = outputs_of(settings_, facts);
    if (settings_.is_exact())
      return newton_pull(settings_, outputs, facts.count("rows"), facts.count("keys"),
                         most_of_first_gradient(settings_, facts));
    if (settings_.optimizer == Optimizer::svrg)
      return svrg_pull(settings_, outputs, facts.count("rows"), most_of_first_gradient(settings_, facts));
    return std::make_unique<SgdPull>(settings_.in_units(slopes_of(facts), steps_of(facts)), outputs);
  }
  void save_common(Writer& out) const override { model_.encode(out); }

 private:
  // A column far from 0 is almost an intercept.  If there is another one, the optimisers that take steps end far from
  // the optimum, and finally single precision stores nothing else of it.
  void require_one_intercept(const linear::RowFacts& data, const std::string& name) const {
    if (settings_.intercept && !settings_.penalized_intercept) return;
    const auto refuse = [&](const std::string& what, double mean, const std::string& why) {
      throw DataError(
          name, 0, what + ": the mean, " + io::exact_text(mean) + ", is far from 0 beside the deviation, and " + why);
    };
    const auto name_of = [&](std::uint32_t key) {
      return "feature " + linear::feature_text(data.names, settings_.bits, key);
    };
    const std::string nothing = "there is no unpenalised intercept to absorb that: subtract it";
    const linear::Responses& responses = data.responses;
    if (settings_.loss == Loss::squared && !settings_.ends_at_optimum() &&
        std::abs(responses.mean) > kMostDeviations * responses.spread(responses.mean))
      refuse("labels", responses.mean, nothing);
    if (data.centred)
      refuse(name_of(data.far.keys().front()), data.far[data.far.keys().front()],
             "data by shard stores it less that, which --penalize_intercept does not allow");
    const auto rows = static_cast<double>(data.rows);
    const auto& counts = data.counts.all();
    const double most = settings_.is_exact() ? kMostDeviationsExact : kMostDeviations;
    auto intercepts = std::ranges::count_if(counts, [&](const auto& one) { return one.rows == rows && !one.varies(); });
    for (const std::uint32_t key : data.far.keys()) {
      const double mean = data.far[key], variance = counts[key].squares / rows - mean * mean;
      if (mean * mean >= most * most * variance && intercepts++ > 0) refuse(name_of(key), mean, nothing);
    }
  }
  double unit_of_slopes(const linear::DataFacts& facts) const {
    const double spread = settings_.loss == Loss::squared ? facts.responses.spread(facts.centre) : 1;
    return spread > 0 ? spread : 1;
  }
  static double unit_of_steps(const linear::FeatureCounts& counts, const std::vector<FeatureScale>& scales) {
    for (std::size_t key = 0; key < counts.all().size(); ++key)
      if (counts.all()[key].rows > 0) return scales[key].step * counts.all()[key].largest();
    return 1;
  }
  std::vector<double> first_squares(const linear::FeatureCounts& counts, double slopes) const {
    std::vector<double> out;
    if (initial_)
      for (const auto& one : counts.all()) out.push_back(one.squares / job_.shards * (slopes * slopes));
    return out;
  }
  std::unique_ptr<Push> push(ShardId shard, const std::shared_ptr<const SharedData>& all, const ShardRows& training,
                             ShardRows held_out, std::unique_ptr<linear::RowStream> stream) const {
    if (settings_.is_exact()) return newton_push(shard, all, training, std::move(held_out));
    if (settings_.optimizer == Optimizer::svrg) return svrg_push(shard, all, training, std::move(held_out));
    return sgd_push(shard, job_.shards, all, training, std::move(held_out), std::move(stream));
  }

  Settings settings_;
  std::optional<InitialWeights> initial_;  // the start of the job
  ModelCommon model_;
  mutable std::vector<double> moves_;  // of initial_'s intercept, from the facts for the tables
};

Plugin plugin() {
  static constexpr std::string_view kPackedOptions[] = {
      "format", "target", "separator", "missing", "index_from", "bits", "intercept", "weights", "class_weights"};
  return {.name = "sgd",
          .summary = "linear models of classes and numbers, by stochastic gradient descent or to the optimum",
          .items = "rows",
          .options = declared_options<Settings>(),
          .epochs = 0,  // the schedules end the job
          .takes_model = true,
          .packed_format = 4,
          .packed_options = kPackedOptions,
          .check = check,
          .framework_needs = framework_needs(),
          .app = [](const Job& job) { return std::unique_ptr<App>(new SgdApp(job)); },
          .export_text = export_text,
          .commands = commands()};
}

}  // namespace
}  // namespace rota::sgd

ROTA_PLUGIN(rota::sgd::plugin);
