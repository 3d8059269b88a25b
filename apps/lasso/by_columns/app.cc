// apps/lasso/by_columns/app.cc -- lasso: sparse linear models by working sets of columns.  README.md has the
// mathematics.
#include "apps/lasso/app.h"

#include "apps/lasso/by_columns/hooks.h"

namespace rota::lasso {
namespace {

class ColumnsApp final : public LassoApp {
 public:
  using Settings = ColumnSettings;

  explicit ColumnsApp(const Job& job) : LassoApp(job, settings_of<ColumnSettings>(job.options)) {}

  Loaded read(std::span<const ShardId> hosted) const override { return load_columns(source_, job_.shards, hosted); }
  std::vector<std::unique_ptr<Push>> make_pushes(Loaded data, std::span<const ShardId>, Random&) override {
    take_common(data.common);
    // Only a process that trains alone has data in memory.
    const bool alone = !job_.input.empty() && is_memory_name(job_.input.front());
    return columns_pushes(settings_, job_.seed, std::move(data), alone ? &here_ : nullptr);
  }
  std::vector<Table> tables(const Facts&) const override { return tables_with(0, 0); }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override { return columns_schedule(settings_); }
  std::unique_ptr<Pull> pull(const Facts&) const override { return columns_pull(settings_, job_.seed, here_); }

 private:
  const ColumnSettings settings_ = settings_of<ColumnSettings>(job_.options);
  DataHere here_;
};

}  // namespace

Plugin columns_plugin() {
  return plugin_of<ColumnsApp>({.name = "lasso",
                                .summary = "sparse linear models: Lasso and elastic net, squared and logistic loss",
                                .items = "entries",
                                .epochs = 0,  // it ends when its fits are done
                                .packed_format = kPackedFormat,
                                .packed_options = kPackedOptions,
                                .check = ColumnSettings::check_options,
                                .framework_needs = kSynchronous,
                                .export_text = export_text,
                                .commands = commands()});
}

}  // namespace rota::lasso
