// core/rounds/views.h -- dense tables as the shards of a worker see them: each one time, as of a number of commits.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/rounds/commits.h"
#include "core/rounds/zeroed.h"
#include "core/wire/message.h"
#include "rota/job.h"
#include "rota/view.h"

namespace rota {

// Nothing here changes while a thread reads: apply() REQUIRES that no shard is in a hook.
class Views {
 public:
  explicit Views(const std::vector<Table>& tables);
  Views(const Views&) = delete;  // views refer to it
  Views& operator=(const Views&) = delete;

  bool any() const { return any_; }
  // By table; one without rows for a table that is not dense.
  std::span<const TableView> tables() const { return views_; }
  // How many commits are in it, of all tables, counted as shared rounds are: from 0, in their order.
  std::uint64_t commits() const { return commits_; }

  // The next commit, of whichever table.
  void apply(const RoundDeltas& round);
  // In a new job, the starting value of a row; that of a table that is not dense changes nothing.
  void set(TableId table, Key key, std::span<const double> row);
  // The run goes back: all is as in new views, where they are.  restore() follows.
  void roll_back();
  // In a resumed job, rows as of the checkpoint, which were checked; those of tables that are not dense change nothing.
  void restore(const Deltas& deltas);

 private:
  struct Dense {
    Zeroed<double> numbers;  // row after row
    std::uint64_t version = 0;
  };
  void put(TableId table, const KeyRun& run, const void* values);

  bool any_ = false;
  std::uint64_t commits_ = 0;
  std::vector<Dense> dense_;  // by table
  std::vector<TableView> views_;
};

}  // namespace rota
