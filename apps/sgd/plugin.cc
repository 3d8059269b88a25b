// apps/sgd/plugin.cc -- linear models by stochastic gradient descent.  README.md has the mathematics.
#include "rota/plugin.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "apps/linear/packed_rows.h"
#include "apps/linear/shard_rows.h"
#include "apps/sgd/commands/trained_model.h"
#include "apps/sgd/exact/newton_pull.h"
#include "apps/sgd/exact/newton_push.h"
#include "apps/sgd/exchange/replica_push.h"
#include "apps/sgd/initial_weights.h"
#include "apps/sgd/pull.h"
#include "apps/sgd/push.h"
#include "apps/sgd/schedule.h"
#include "apps/sgd/settings.h"
#include "apps/sgd/svrg/svrg_pull.h"
#include "apps/sgd/svrg/svrg_push.h"
#include "apps/sgd/tables.h"
#include "rota/error.h"
#include "rota/exchange/exchange_schedule.h"
#include "rota/io/number_text.h"

namespace rota::sgd {
namespace {

// The largest mean, in deviations, of a column that replaces the intercept.
constexpr double kMostDeviations = 10, kMostDeviationsExact = 1e4;

class SgdApp final : public App {
 public:
  explicit SgdApp(const Job& job) : job_(job), settings_(settings_of(job.options)) {
    check(job.options);
    if (job.initial == nullptr) return;
    initial_.emplace(*job.initial, settings_);
    settings_.least_keys = initial_->keys();
  }

  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    linear::LoadedData data = read(hosted);
    require_one_intercept(data);
    labels_ = data.facts.classes.all();
    origins_ = data.facts.origins;
    if (initial_) initial_->require_classes(data.facts.classes);
    const double slopes = centre(data), steps = unit_of_steps(data);
    const linear::DataFacts facts = data.facts;
    const auto all = std::make_shared<const SharedData>(
        SharedData{settings_.in_units(slopes, steps), std::move(data.facts),
                   std::make_shared<const std::vector<FeatureScale>>(std::move(data.scales)), job_.seed, slopes, steps,
                   initial_ ? initial_->rows_before() : 0, first_squares(data.counts, slopes),
                   initial_ ? initial_->moves_of_intercept(origins_) : std::vector<double>()});
    std::vector<std::unique_ptr<Push>> out;
    for (std::size_t i = 0; i < hosted.size(); ++i) {
      std::unique_ptr<linear::RowStream> stream;
      if (settings_.stream)
        stream =
            std::make_unique<linear::RowStream>(job_.input, settings_, facts, job_.shards, hosted[i], data.rows_of[i]);
      out.push_back(push(hosted[i], all, data.training[i], std::move(data.held_out[i]), std::move(stream)));
      data.training[i] = {};  // copied into its new layout: frees the memory at once
    }
    return out;
  }
  void pack(DataPacker& out) override { linear::pack_data(job_.input, job_.valid, settings_, job_.shards, out); }
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
    const RoundsOfEpoch rounds(facts.count("rows"), job_.shards, settings_.sync_rows, rows_before(facts));
    if (settings_.exchange == Exchange::store) return std::make_unique<SgdSchedule>(rounds, settings_.epochs);
    const auto dataflows = static_cast<std::uint32_t>(dataflows_of(settings_.exchange, job_.shards).size());
    return std::make_unique<ExchangeSchedule>(
        kWeights, ExchangeSchedule::Epochs{.rounds = rounds.count, .dataflows = dataflows, .most = settings_.epochs},
        [rounds](std::uint64_t n) { return rounds.argument(n); });
  }
  std::unique_ptr<Pull> pull(const Facts& facts) const override {
    const std::uint32_t outputs = outputs_of(settings_, facts);
    if (settings_.is_exact())
      return std::make_unique<NewtonPull>(settings_, outputs, facts.count("rows"), facts.count("keys"),
                                          most_of_first_gradient(settings_, facts));
    if (settings_.optimizer == Optimizer::svrg)
      return std::make_unique<SvrgPull>(settings_, outputs, facts.count("rows"),
                                        most_of_first_gradient(settings_, facts));
    return std::make_unique<SgdPull>(settings_.in_units(slopes_of(facts), steps_of(facts)), outputs);
  }
  void save_common(Writer& out) const override {
    out.put_all(std::span<const double>(labels_));
    if (!origins_.empty()) origins_.write(out);
  }

 private:
  linear::LoadedData read(std::span<const ShardId> hosted) const {
    if (job_.packed == nullptr) return linear::load_data(job_.input, job_.valid, settings_, job_.shards, hosted);
    if (settings_.stream)
      throw UsageError("--stream reads text again in every epoch; data by shard is read once, and kept in memory");
    return linear::unpack_data(*job_.packed, settings_, job_.shards, hosted);
  }
  // A column far from 0 is almost an intercept.  If there is another one, the optimisers that take steps end far from
  // the optimum, and finally single precision stores nothing else of it.
  void require_one_intercept(const linear::LoadedData& data) const {
    if (settings_.intercept && !settings_.penalized_intercept) return;
    const auto refuse = [&](const std::string& what, double mean, const std::string& why) {
      throw DataError(
          job_.packed == nullptr ? job_.input.front() : job_.packed->name(), 0,
          what + ": the mean, " + io::exact_text(mean) + ", is far from 0 beside the deviation, and " + why);
    };
    const auto name_of = [](std::uint32_t key) { return "feature " + std::to_string(key); };
    const std::string nothing = "there is no unpenalised intercept to absorb that: subtract it";
    const linear::Responses& responses = data.facts.responses;
    if (settings_.loss == Loss::squared && !settings_.ends_at_optimum() &&
        std::abs(responses.mean) > kMostDeviations * responses.spread(responses.mean))
      refuse("labels", responses.mean, nothing);
    if (!data.facts.origins.empty())
      refuse(name_of(data.far.keys().front()), data.far[data.far.keys().front()],
             "data by shard stores it less that, which --penalize_intercept does not allow");
    const auto rows = static_cast<double>(data.facts.rows);
    const auto& counts = data.counts.all();
    const double most = settings_.is_exact() ? kMostDeviationsExact : kMostDeviations;
    auto intercepts = std::ranges::count_if(counts, [&](const auto& one) { return one.rows == rows && !one.varies(); });
    for (const std::uint32_t key : data.far.keys()) {
      const double mean = data.far[key], variance = counts[key].squares / rows - mean * mean;
      if (mean * mean >= most * most * variance && intercepts++ > 0) refuse(name_of(key), mean, nothing);
    }
  }
  // Subtracts the centre from targets.  Returns the unit of slopes.
  double centre(linear::LoadedData& data) const {
    if (settings_.loss != Loss::squared) return 1;
    const linear::Responses& responses = data.facts.responses;
    const double centre = !settings_.centres() ? 0 : initial_ ? initial_->centre() : responses.mean;
    data.facts.centre = centre;
    for (auto* const rows : {&data.training, &data.held_out})
      for (ShardRows& one : *rows)
        for (double& target : one.targets) target -= centre;
    const double spread = responses.spread(centre);
    return spread > 0 ? spread : 1;
  }
  static double unit_of_steps(const linear::LoadedData& data) {
    const auto& counts = data.counts.all();
    for (std::size_t key = 0; key < counts.size(); ++key)
      if (counts[key].rows > 0) return data.scales[key].step * counts[key].largest();
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
    if (settings_.is_exact()) return std::make_unique<NewtonPush>(shard, all, training, std::move(held_out));
    if (settings_.optimizer == Optimizer::svrg)
      return std::make_unique<SvrgPush>(shard, all, training, std::move(held_out));
    if (settings_.exchange == Exchange::store)
      return std::make_unique<SgdPush>(shard, all, training, std::move(held_out), std::move(stream));
    return std::make_unique<ReplicaPush>(shard, job_.shards, all, training, std::move(held_out), std::move(stream));
  }

  const Job& job_;
  Settings settings_;
  std::optional<InitialWeights> initial_;  // the start of the job
  std::vector<double> labels_;             // of the classes
  linear::Origins origins_;                // of the columns
  mutable std::vector<double> moves_;      // of initial_'s intercept, from the facts for the tables
};

Plugin plugin() {
  static constexpr std::string_view kPackedOptions[] = {"format",    "index_from", "bits",
                                                        "intercept", "weights",    "class_weights"};
  return {.name = "sgd",
          .summary = "linear models of classes and numbers, by stochastic gradient descent or to the optimum",
          .items = "rows",
          .options = options(),
          .epochs = 0,  // the schedules end the job
          .takes_model = true,
          .packed_format = 3,
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
