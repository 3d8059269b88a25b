// apps/lasso/design/load.h -- the data of the shards that one process hosts: their blocks of the design matrix, and
// the response.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "apps/lasso/design/columns.h"
#include "apps/lasso/design/input.h"
#include "apps/linear_models/class_labels.h"
#include "rota/io/row_reader.h"
#include "rota/job.h"
#include "rota/packed.h"
#include "rota/types.h"

namespace rota::linear {

// What to read.
struct Source {
  std::vector<std::string> files;  // one matrix: the rows of each file follow those of the previous one
  io::RowForm form;                // of all files; one format
  std::string response;            // file of the response, for formats that have none, or ""
  std::string weights;             // file of the rows' weights, or ""
  bool classes = false;            // the response is one of two classes
  Precision precision = Precision::automatic;
};

// One of RowForm's words, not auto.  Throws NoInput or DataError.
std::string row_format(const std::string& path, const io::RowForm& form);

// One number for every row.
struct RowNumbers {
  std::vector<double> response;  // of two classes the data's own labels
  std::vector<double> weights;   // none if the source has none

  void fields(auto& list) {
    list(response, weights);
    list.check((weights.empty() || weights.size() == response.size()) &&
               std::ranges::all_of(response, [](double one) { return std::isfinite(one); }) &&
               std::ranges::all_of(weights, [](double one) { return one >= 0 && std::isfinite(one); }));
  }
  bool have(const ClassLabels& classes) const {
    return classes.size() == 0 ||
           std::ranges::all_of(response, [&](double one) { return classes.find(one).has_value(); });
  }
};

// What all shards know.  They are ranges of columns, with about equal numbers of entries, or ranges of rows, whose
// sizes differ by at most one.
struct DesignCommon {
  bool by_columns = false;
  DesignShape shape;
  std::vector<std::uint64_t> cuts;  // the first column or row of every shard, and at the end their number
  ClassLabels classes;              // of the whole data; none for numbers
  std::vector<std::string> names;   // of the columns, if the input has them
  RowNumbers rows;                  // by columns: of all rows

  void fields(auto& list) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    list(by_columns, shape.rows, shape.columns, shape.entries, cuts, classes, names, rows);
    list.check(shape.rows <= kMost && shape.columns <= kMost && !cuts.empty() && cuts.front() == 0 &&
               cuts.back() == (by_columns ? shape.columns : shape.rows) && std::ranges::is_sorted(cuts));
    list.check((names.empty() || names.size() == shape.columns) && (classes.size() == 0 || classes.size() == 2) &&
               rows.response.size() == (by_columns ? shape.rows : 0) && rows.have(classes));
  }
};
struct DesignShard {
  Columns columns;
  RowNumbers rows;  // by rows: of its rows

  void fields(auto& list) { list(columns, rows); }
  std::uint64_t items() const { return columns.entries(); }
  bool fits(const DesignCommon& common, const Job& job, ShardId shard) const;
};
struct Design {
  DesignCommon common;
  std::vector<DesignShard> hosted;  // in the order asked for
};

// The shards are the same in every process and with any number of threads; `hosted` has each shard once at most. Uses
// the threads of the task arena that it is called in.  Throws NoInput; DataError with file and line for invalid data,
// in at least one of the processes that together host all shards; UsageError if format and response are not compatible.
Design load_columns(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted);
Design load_rows(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted);

// All rows of data by shard, which are ranges of rows, as one block like a single shard of load_rows().
Columns join_rows(const PackedData& packed, std::uint32_t shards, Precision precision);

}  // namespace rota::linear
