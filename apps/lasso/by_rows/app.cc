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
  std::vector<std::unique_ptr<Push>> make_pushes(Loaded data, std::span<const ShardId>, Random&) override {
    take_common(data.common);
    return rows_pushes(settings_, job_.seed, std::move(data));
  }
  // A coefficient's part: its gradient and its square, and its products with those before it in its block.
  std::vector<Table> tables(const Facts&) const override { return tables_with(2, 1); }
  std::unique_ptr<Schedule> schedule(const Facts&, Share share) const override {
    return rows_schedule(settings_, job_, share, interference());
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return rows_pull(settings_, job_.staleness); }

 private:
  // The scheduler's own copy of the data, to find the columns that correlate.
  std::unique_ptr<Interference> interference() const {
    if (!settings_.finds_conflicts()) return nullptr;
    if (job_.input.empty())
      throw NoInput(
          "--order=priority requires the data on its scheduler's machine, to find the columns that correlate");
    const ShardId whole[] = {0};
    const Columns columns = job_.packed != nullptr ? join_rows(*job_.packed, job_.shards)
                                                   : std::move(load_rows(source_, 1, whole).hosted[0].columns);
    return column_interference(columns, settings_.correlation, settings_.intercept);
  }

  const RowSettings settings_ = settings_of<RowSettings>(job_.options);
};

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
       .export_text = export_text,
       .commands = commands()});
}

}  // namespace rota::lasso
