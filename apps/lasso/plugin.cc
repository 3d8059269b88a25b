// apps/lasso/plugin.cc -- sparse linear models: Lasso and elastic net.  README.md has the mathematics.
#include "rota/plugin.h"

#include <numeric>

#include "apps/lasso/by_columns/pull.h"
#include "apps/lasso/by_columns/push.h"
#include "apps/lasso/by_columns/schedule.h"
#include "apps/lasso/by_rows/column_interference.h"
#include "apps/lasso/by_rows/pull.h"
#include "apps/lasso/by_rows/push.h"
#include "apps/lasso/by_rows/schedule.h"
#include "apps/lasso/commands/commands.h"
#include "apps/lasso/fit_sequence.h"
#include "apps/lasso/settings.h"
#include "apps/lasso/tables.h"
#include "apps/linear/design/load.h"
#include "apps/linear/design/packed_design.h"

namespace rota::lasso {

using namespace linear;
namespace {

bool has_classes(const Settings& settings) {
  return settings.loss == Loss::logistic;
}

Source source_of(const Job& job, const Settings& settings) {
  return {.files = job.input,
          .format = io::matrix_format(job.options.text("format")),
          .index_from = io::index_from(job.options),
          .response = settings.response,
          .weights = settings.weights,
          .classes = has_classes(settings),
          .precision = precision_of(job.options.text("precision"))};
}

std::vector<double> or_ones(std::vector<double> weights, std::size_t rows) {
  return weights.empty() ? std::vector<double>(rows, 1.0) : std::move(weights);
}

// The scheduler's own copy of the data, to find the columns that correlate.
std::unique_ptr<Interference> interference(const Job& job, const Settings& settings) {
  if (settings.order != Order::priority || settings.conflicts == Conflicts::ignore) return nullptr;
  if (job.input.empty())
    throw NoInput("--order=priority requires the data on its scheduler's machine, to find the columns that correlate");
  const auto load = [&] {
    const ShardId whole[] = {0};
    const Source source = source_of(job, settings);
    if (job.packed != nullptr) return unpack_whole(*job.packed, source.precision, job.shards);
    return std::move(load_rows(source, 1, whole).hosted[0].columns);
  };
  return column_interference(load(), settings.correlation, settings.intercept);
}

std::vector<std::unique_ptr<Push>> load_by_columns(const Job& job, const Settings& settings,
                                                   std::span<const ShardId> hosted) {
  ColumnShards data = job.packed == nullptr ? load_columns(source_of(job, settings), job.shards, hosted)
                                            : unpack_columns(*job.packed, has_classes(settings), job.shards, hosted);
  auto rows = std::make_shared<SharedRowData>();
  rows->weights = or_ones(std::move(data.weights), data.response.size());
  rows->folds = folds_of_rows(data.response.size(), settings.folds, job.seed);
  rows->response = std::move(data.response);
  rows->columns = data.shape.columns;
  std::vector<std::unique_ptr<Push>> shards;
  for (std::size_t i = 0; i < hosted.size(); ++i)
    shards.push_back(std::make_unique<ColumnsPush>(settings, std::move(data.hosted[i]), rows));
  return shards;
}

std::vector<std::unique_ptr<Push>> load_by_rows(const Job& job, const Settings& settings,
                                                std::span<const ShardId> hosted) {
  RowShards data = job.packed == nullptr ? load_rows(source_of(job, settings), job.shards, hosted)
                                         : unpack_rows(*job.packed, has_classes(settings), job.shards, hosted);
  const auto folds = folds_of_rows(data.shape.rows, settings.folds, job.seed);
  std::vector<std::unique_ptr<Push>> shards;
  for (RowShard& one : data.hosted) {
    const auto first = folds.begin() + static_cast<std::ptrdiff_t>(one.columns.first_row());
    RowShardData rows{std::move(one.columns), std::move(one.response), {}, {}, data.classes};
    rows.folds.assign(first, first + static_cast<std::ptrdiff_t>(rows.response.size()));
    rows.weights = or_ones(std::move(one.weights), rows.response.size());
    shards.push_back(std::make_unique<RowsPush>(settings, std::move(rows)));
  }
  return shards;
}

class LassoApp final : public App {
 public:
  explicit LassoApp(const Job& job)
      : job_(job), settings_(settings_of(job.options)), by_columns_(settings_.partition == Partition::columns) {}

  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    return by_columns_ ? load_by_columns(job_, settings_, hosted) : load_by_rows(job_, settings_, hosted);
  }

  void pack(DataPacker& out) override {
    std::vector<ShardId> all(job_.shards);
    std::iota(all.begin(), all.end(), ShardId{0});
    const Source source = source_of(job_, settings_);
    by_columns_ ? pack_columns(load_columns(source, job_.shards, all), out)
                : pack_rows(load_rows(source, job_.shards, all), out);
  }

  // A coefficient's part by rows: its gradient and its square, and its products with those before it in its block.
  std::vector<Table> tables(const Facts&) const override {
    return {{.name = "coefficients",
             .keys = kIntercept + 1,
             .row_width = 1,
             .part_width = by_columns_ ? 0U : 2U,
             .block_width = by_columns_ ? 0U : 1U,
             .single_partition = true},
            {.name = "path", .keys = kMostPenalties << 32, .row_width = 1, .single_partition = true},
            {.name = "fits", .keys = kMostFolds * kMostPenalties, .row_width = kFitWidth, .single_partition = true}};
  }

  std::vector<Term> terms() const override {
    return {{"loss", Term::Kind::normalised}, {"penalty", Term::Kind::normalised}, {"nonzeros", Term::Kind::report}};
  }

  std::unique_ptr<Schedule> schedule(const Facts&, Share share) const override {
    if (by_columns_) return std::make_unique<WorkingSetSchedule>(settings_);
    return std::make_unique<RowsSchedule>(settings_, job_, share, interference(job_, settings_));
  }

  std::unique_ptr<Pull> pull(const Facts&) const override {
    if (by_columns_) return std::make_unique<ColumnsPull>(settings_, job_.seed);
    return std::make_unique<RowsPull>(settings_, job_.staleness);
  }

 private:
  Job job_;
  Settings settings_;
  bool by_columns_;
};

Plugin plugin() {
  static constexpr std::string_view kPackedOptions[] = {"loss",       "weights",   "response", "format",
                                                        "index_from", "precision", "partition"};
  static const Command kCommands[] = {{.name = "show",
                                       .summary = "prints the path and the largest coefficients",
                                       .options = show_options(),
                                       .run = show},
                                      {.name = "predict",
                                       .summary = "predicts the response of other rows, a number a line",
                                       .options = predict_options(),
                                       .run = predict,
                                       .takes_input = true},
                                      {.name = "evaluate",
                                       .summary = "scores the model on other rows, as JSON",
                                       .options = evaluate_options(),
                                       .run = evaluate,
                                       .takes_input = true}};
  return {.name = "lasso",
          .summary = "sparse linear models: Lasso and elastic net, squared and logistic loss",
          .items = "entries",
          .options = options(),
          .epochs = 0,  // it ends when its fits are done
          .several_schedulers = true,
          .packed_format = 1,
          .packed_options = kPackedOptions,
          .check = check,
          .framework_needs = framework_needs(),
          .app = [](const Job& job) -> std::unique_ptr<App> { return std::make_unique<LassoApp>(job); },
          .export_text = export_text,
          .commands = kCommands};
}

}  // namespace
}  // namespace rota::lasso

ROTA_PLUGIN(rota::lasso::plugin);
