// apps/lasso/by_rows/app.cc -- lasso_rows: the Lasso of the STRADS paper (Lee et al., NIPS 2014, section 3.3).
// README.md has the mathematics.
#include "apps/lasso/app.h"

#include "apps/lasso/by_rows/column_interference.h"
#include "apps/lasso/by_rows/hooks.h"

namespace rota::lasso {
namespace {

class RowsApp final : public LassoApp {
 public:
  using Settings = RowSettings;

  explicit RowsApp(const Job& job) : LassoApp(job, settings_of<RowSettings>(job.options)) {}

  Loaded read(std::span<const ShardId> hosted) const override { return load_rows(source_, job_.shards, hosted); }
  std::vector<std::unique_ptr<Push>> make_pushes(Loaded data, std::span<const ShardId> hosted, Random&) override {
    take_common(data.common);
    std::vector<std::shared_ptr<const Columns>> columns;
    auto pushes = rows_pushes(settings_, job_.seed, std::move(data), columns);
    if (std::ranges::is_sorted(hosted) && hosted.size() == job_.shards) columns_ = std::move(columns);
    return pushes;
  }
  // A coefficient's part: its gradient and its square, and its products with those before it in its block.
  std::vector<Table> tables(const Facts&) const override { return tables_with(2, 1); }
  std::unique_ptr<Schedule> schedule(const Facts&, Share share) const override {
    return rows_schedule(settings_, job_, share, interference());
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return rows_pull(settings_, job_.staleness); }

 private:
  // Finds the columns that correlate.
  std::unique_ptr<Interference> interference() const {
    if (!settings_.finds_conflicts()) return nullptr;
    return column_interference(RowBlocks(columns_.empty() ? own_columns() : columns_), settings_.correlation,
                               settings_.intercept);
  }
  // The scheduler's own copy of the data.
  std::vector<std::shared_ptr<const Columns>> own_columns() const {
    if (job_.input.empty())
      throw NoInput(
          "--order=priority requires the data on its scheduler's machine, to find the columns that correlate");
    std::vector<std::shared_ptr<const Columns>> blocks;
    if (job_.packed == nullptr) {
      const ShardId whole[] = {0};
      blocks.push_back(std::make_shared<const Columns>(std::move(load_rows(source_, 1, whole).hosted[0].columns)));
      return blocks;
    }
    for (ShardId shard = 0; shard < job_.shards; ++shard)
      blocks.push_back(job_.packed->shard(shard, [&](Reader& in) {
        DesignShard one;
        Archive list(in);
        list(one);
        const BlockRange& its = one.columns.range();
        if (shard > 0 &&
            (its.first_row != blocks.back()->range().end_row || its.end_column != blocks.back()->range().end_column))
          in.fail();
        return std::make_shared<const Columns>(std::move(one.columns));
      }));
    return blocks;
  }

  const RowSettings settings_ = settings_of<RowSettings>(job_.options);
  std::vector<std::shared_ptr<const Columns>> columns_;  // of all shards, if this process hosts them
};

// A screen, and the rounds after a start, must have seen all changes before them (FitController::add_barrier_rounds).
// Staleness says after how many rounds they have.
constexpr FrameworkNeeds kNeeds[] = {{"asynchronous", {"apps whose rounds need not see any earlier commit", never}}};

}  // namespace

Plugin rows_plugin() {
  return plugin_of<RowsApp>(
      {.name = "lasso_rows",
       .summary = "sparse linear models by rows: coefficients in the order of priorities (STRADS)",
       .items = "entries",
       .epochs = 0,  // it ends when its fits are done
       .several_schedulers = true,
       .packed_format = kPackedFormat,
       .packed_options = kPackedOptions,
       .check = [](const Options& options) { settings_of<RowSettings>(options).check(options); },
       .framework_needs = kNeeds,
       .export_text = export_text,
       .commands = commands()});
}

}  // namespace rota::lasso
