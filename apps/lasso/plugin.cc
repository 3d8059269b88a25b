// apps/lasso/plugin.cc -- sparse linear models: Lasso and elastic net.  README.md has the mathematics.
#include "rota/plugin.h"

#include "apps/lasso/by_columns/hooks.h"
#include "apps/lasso/by_rows/column_interference.h"
#include "apps/lasso/by_rows/hooks.h"
#include "apps/lasso/commands/commands.h"
#include "apps/lasso/design/load.h"
#include "apps/lasso/settings.h"
#include "apps/lasso/tables.h"
#include "rota/packed_app.h"

namespace rota::lasso {

using namespace linear;
namespace {

class LassoApp final : public PackedApp<DesignCommon, DesignShard> {
 public:
  explicit LassoApp(const Job& job)
      : PackedApp(job), settings_(settings_of(job.options)), by_columns_(settings_.by_columns()) {}

  Loaded read(std::span<const ShardId> hosted) const override {
    Design data = by_columns_ ? load_columns(source(), job_.shards, hosted) : load_rows(source(), job_.shards, hosted);
    return {std::move(data.common), std::move(data.hosted)};
  }

  std::vector<std::unique_ptr<Push>> make_pushes(Loaded data, std::span<const ShardId>, Random&) override {
    check(data.common);
    names_ = std::move(data.common.names);
    Design design{std::move(data.common), std::move(data.hosted)};
    return by_columns_ ? columns_pushes(settings_, job_.seed, std::move(design))
                       : rows_pushes(settings_, job_.seed, std::move(design));
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
    if (by_columns_) return columns_schedule(settings_);
    return rows_schedule(settings_, job_, share, interference());
  }

  std::unique_ptr<Pull> pull(const Facts&) const override {
    return by_columns_ ? columns_pull(settings_, job_.seed) : rows_pull(settings_, job_.staleness);
  }

  void save_common(Writer& out) const override { write_fields(out, names_); }

 private:
  Source source() const {
    return {.files = job_.input,
            .form = settings_.form,
            .response = settings_.response,
            .weights = settings_.weights,
            .classes = settings_.has_classes(),
            .precision = settings_.precision};
  }

  // Data by shard may have been made for another job.
  void check(const DesignCommon& data) const {
    const std::string its = data.by_columns ? "columns" : "rows", needed = by_columns_ ? "columns" : "rows";
    if (its != needed)
      throw UsageError(job_.packed->name() + ": these shards are ranges of " + its + ", and the job needs ranges of " +
                       needed + ": run `rota shard` with --partition, or omit --partition and --order");
    if ((data.classes.size() == 2) != settings_.has_classes())
      throw DataError(job_.packed->name(), 0, "damaged: the response has not the classes that --loss requires");
  }

  // The scheduler's own copy of the data, to find the columns that correlate.
  std::unique_ptr<Interference> interference() const {
    if (!finds_conflicts(job_.options)) return nullptr;
    if (job_.input.empty())
      throw NoInput(
          "--order=priority requires the data on its scheduler's machine, to find the columns that correlate");
    const ShardId whole[] = {0};
    const Columns columns = job_.packed != nullptr ? join_rows(*job_.packed, job_.shards, settings_.precision)
                                                   : std::move(load_rows(source(), 1, whole).hosted[0].columns);
    return column_interference(columns, settings_.correlation, settings_.intercept);
  }

  Settings settings_;
  bool by_columns_;
  std::vector<std::string> names_;  // of the columns, if the input has them
};

Plugin plugin() {
  return {.name = "lasso",
          .summary = "sparse linear models: Lasso and elastic net, squared and logistic loss",
          .items = "entries",
          .options = declared_options<Settings>(),
          .epochs = 0,  // it ends when its fits are done
          .several_schedulers = true,
          .packed_format = 2,
          .packed_options = kPackedOptions,
          .check = check,
          .framework_needs = kFrameworkNeeds,
          .app = [](const Job& job) -> std::unique_ptr<App> { return std::make_unique<LassoApp>(job); },
          .export_text = export_text,
          .commands = commands()};
}

}  // namespace
}  // namespace rota::lasso

ROTA_PLUGIN(rota::lasso::plugin);
