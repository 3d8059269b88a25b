// rota/view.h -- a shard's view of a dense table, and of the model's shape.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "rota/facts.h"
#include "rota/slices.h"
#include "rota/types.h"

namespace rota {

// A dense table, as one run of numbers that all shards of a process share.  During push(), refresh(), evaluate() and
// save() it holds exactly the commits that the shard may see (rota/push.h), and does not change.  During attach() and
// restore() it may change: it must not be read.  A copy refers to the same table.
class TableView {
 public:
  // Of a table that is not dense: it has no rows.
  TableView() = default;
  // For the host; what it refers to must outlive the view.
  TableView(Key keys, std::uint32_t width, const double* numbers, const std::uint64_t* version)
      : keys_(keys), width_(width), numbers_(numbers), version_(version) {}

  Key keys() const { return keys_; }
  std::uint32_t width() const { return width_; }
  // Zeros before the row's first commit.  Throws std::out_of_range if the table has no such row.
  std::span<const double> row(Key key) const {
    if (key >= keys_) no_such_row(key);
    return {numbers_ + static_cast<std::size_t>(key) * width_, width_};
  }
  // Row after row.
  std::span<const double> numbers() const { return {numbers_, static_cast<std::size_t>(keys_) * width_}; }
  // Grows with each commit in the view, by an unspecified amount: to detect that something derived from it is out of
  // date.  Not the same in a job that was resumed.
  std::uint64_t version() const { return version_ == nullptr ? 0 : *version_; }

 private:
  [[noreturn, gnu::noinline, gnu::cold]] void no_such_row(Key key) const {
    throw std::out_of_range("row " + std::to_string(key) + " of a view of " + std::to_string(keys_) + " rows");
  }

  Key keys_ = 0;
  std::uint32_t width_ = 0;
  const double* numbers_ = nullptr;
  const std::uint64_t* version_ = nullptr;
};

// What is known before the first task.  Refers to objects that outlive the push.
struct Shape {
  const Facts& facts;                // of the whole job's data
  const Cut& cut;                    // of the sliced table
  std::span<const TableView> views;  // by table; one without rows for a table that is not dense
  bool speaks_for_all;               // true for one shard of the job, which reports what is common to all shards once
};

}  // namespace rota
