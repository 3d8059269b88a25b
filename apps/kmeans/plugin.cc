// apps/kmeans/plugin.cc -- k-means as the framework sees it.
#include "rota/plugin.h"

#include <memory>
#include <utility>
#include <vector>

#include "apps/kmeans/commands.h"
#include "apps/kmeans/hooks.h"
#include "rota/io/input_size.h"
#include "rota/packed_app.h"
#include "rota/shards.h"

namespace rota::kmeans {
namespace {

class Kmeans final : public PackedApp<io::RowsSize, Data> {
 public:
  using Settings = kmeans::Settings;
  explicit Kmeans(const Job& job) : PackedApp(job), settings_(checked_settings(job.options)) {}

  Loaded read(std::span<const ShardId> hosted) const override {
    HostedShards<Data> shards(job_.shards, hosted);
    io::RowFiles files(job_.input, settings_.form, kValues);
    for (io::LabelledValues row; files.next(row);)
      if (Data* const data = shards.of_item(files.rows() - 1)) data->add({row.columns, row.values});
    const io::RowsSize size = files.size();
    require_dealt(size.rows, job_.shards);
    for (Data& data : shards.all()) data.shrink_to_fit();
    return {size, std::move(shards.all())};
  }
  std::vector<std::unique_ptr<Push>> make_pushes(Loaded loaded, std::span<const ShardId> hosted, Random&) override {
    size_ = std::move(loaded.common);
    if (size_.rows < settings_.clusters)
      throw UsageError("the data has " + std::to_string(size_.rows) +
                       " rows, fewer than --clusters=" + std::to_string(settings_.clusters));
    return kmeans_pushes(settings_, size_.columns, hosted, std::move(loaded.hosted));
  }
  void facts(Facts& facts) const override { facts.largest("columns", static_cast<double>(size_.columns)); }
  std::vector<Table> tables(const Facts& facts) const override {
    const std::uint32_t clusters = settings_.clusters, width = width_of_sums(clusters);
    return {{.name = "sums",
             .keys = (facts.count("columns") + 1) * (clusters / width),
             .row_width = width,
             .part_width = width,
             .dense = true,
             .sized_by = "clusters"},
            {.name = "talk", .keys = 1, .row_width = 1, .single_partition = true}};
  }
  void save_common(Writer& out) const override { write_fields(out, size_.names); }
  std::vector<Term> terms() const override { return {{"inertia", Term::Kind::objective}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override { return kmeans_schedule(settings_); }
  std::unique_ptr<Pull> pull(const Facts&) const override { return kmeans_pull(settings_.clusters); }

 private:
  Settings settings_;
  io::RowsSize size_;
};

// A round sums the shards' parts, each of which has most columns of wide data: of few rows that takes longer than to
// find their clusters.
ChosenShards choose_shards(const Job& job) {
  return io::few_shards_below(16 << 20, kUsualShards / 4, job);
}

}  // namespace
}  // namespace rota::kmeans

using rota::kmeans::Kmeans;
ROTA_APP(
    Kmeans, .name = "kmeans", .summary = "k-means clustering: Lloyd's algorithm from a k-means++ start",
    .items = "rows", .epochs = 0,  // the schedule ends the job
    .packed_format = 3, .packed_options = rota::io::kRowOptions,
    .check = [](const rota::Options& chosen) { (void)rota::kmeans::checked_settings(chosen); },
    .framework_needs = rota::kSynchronous, .choose_shards = rota::kmeans::choose_shards,
    .export_text = rota::kmeans::export_text, .commands = rota::kmeans::kCommands);
