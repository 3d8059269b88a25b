// rota/items_app.h -- an app of one dense table, whose input is items that are dealt to the shards one by one.
//
//   class EdgesPush final : public ItemsPush<Edge, Settings> {  // a shard: it has items_, table_, settings_, ...
//     using ItemsPush::ItemsPush;
//     std::uint64_t push(const SharedTask& task, Random&) override;
//   };
//   class Components final : public io::LinesApp<EdgesPush> {   // the app: it has settings_ and job_
//     using LinesApp::LinesApp;
//     Table table(const Facts& facts) const override;
//     ...
//   };
//
// io::LinesApp (rota/io/lines_app.h), io::RowsApp (rows_app.h) and io::CategoriesApp (categories_app.h) read the items.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rota/app.h"
#include "rota/settings.h"
#include "rota/shards.h"
#include "rota/view.h"

namespace rota {

struct NoSettings {
  void options(auto&) {}
};

// A shard of items.
template <typename T, typename S = NoSettings>
class ItemsPush : public SharedPush {
 public:
  using Item = T;
  using Settings = S;

  ItemsPush(ShardId shard, std::vector<Item> items, const Job& job)
      : shard_(shard), job_(job), settings_(settings_of<Settings>(job.options)), items_(std::move(items)) {}
  std::uint64_t items() const override { return items_.size(); }
  void attach(const Shape& shape) override { table_ = shape.views[0]; }

 protected:
  const ShardId shard_;
  const Job& job_;
  const Settings settings_;
  std::vector<Item> items_;
  TableView table_;
};

// The app of shards of the class P.
template <typename P>
class ItemsApp : public App {
 public:
  using Item = typename P::Item;
  using Settings = typename P::Settings;

  explicit ItemsApp(const Job& job) : job_(job), settings_(settings_of<Settings>(job.options)) {}

  // Reads all items in an order that depends on the job alone, hosted here or not: item i, from 0, is one of shard i
  // mod S.  Adds what it finds to the facts.  May throw what load() may.
  virtual void read_items(const std::function<void(Item)>& add, Facts& facts) = 0;
  // It is dense and started, and its parts are as wide as its rows if they have no other width.
  virtual Table table(const Facts& facts) const = 0;

  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) final {
    HostedShards<std::vector<Item>> shards(job_.shards, hosted);
    std::uint64_t count = 0;
    read_items(
        [&](Item item) {
          if (auto* const its = shards.of_item(count++)) its->push_back(std::move(item));
        },
        facts_);
    require_dealt(count, job_.shards);
    std::vector<std::unique_ptr<Push>> pushes;
    for (const ShardId shard : hosted)
      pushes.push_back(std::make_unique<P>(shard, std::move(*shards.of_shard(shard)), job_));
    return pushes;
  }
  void facts(Facts& facts) const final { facts = facts_; }
  std::vector<Table> tables(const Facts& facts) const final {
    Table table = this->table(facts);
    table.dense = table.started = true;
    if (table.part_width == 0) table.part_width = table.row_width;
    return {table};
  }

 protected:
  const Job& job_;
  const Settings settings_;

 private:
  Facts facts_;
};

}  // namespace rota
