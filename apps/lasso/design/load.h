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
#include "apps/linear_models/class_labels.h"
#include "rota/io/row_reader.h"
#include "rota/packed_app.h"
#include "rota/types.h"

namespace rota::lasso {

using linear::ClassLabels;

// What to read.
struct Source {
  std::vector<std::string> files;  // one matrix: the rows of each file follow those of the previous one
  io::RowForm form;                // of all files
  std::string response;            // file of the response, which replaces the files' own; or ""
  std::string weights;             // file of the rows' weights, or ""
  bool classes = false;            // the response is one of two classes
  std::size_t threads = 1;         // that read
};

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
  std::uint64_t rows = 0, columns = 0;
  std::vector<std::uint64_t> cuts;  // the first column or row of every shard, and at the end their number
  ClassLabels classes;              // of the whole data; none for numbers
  std::vector<std::string> names;   // of the columns, if the input has them
  RowNumbers numbers;               // by columns: of all rows

  BlockRange range_of(ShardId shard) const {
    const std::uint64_t first = cuts[shard], end = cuts[shard + std::size_t{1}];
    return by_columns ? BlockRange{0, rows, first, end} : BlockRange{first, end, 0, columns};
  }
  void fields(auto& list) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    list(by_columns, rows, columns, cuts, classes, names, numbers);
    list.check(rows <= kMost && columns <= kMost && !cuts.empty() && cuts.front() == 0 &&
               cuts.back() == (by_columns ? columns : rows) && std::ranges::is_sorted(cuts));
    list.check((names.empty() || names.size() == columns) && (classes.size() == 0 || classes.size() == 2) &&
               numbers.response.size() == (by_columns ? rows : 0) && numbers.have(classes));
  }
};
struct DesignShard {
  Columns columns;
  RowNumbers numbers;  // by rows: of its rows

  void fields(auto& list) { list(columns, numbers); }
  std::uint64_t items() const { return columns.entries(); }
  bool fits(const DesignCommon& common, const Job& job, ShardId shard) const {
    return common.cuts.size() == job.shards + std::size_t{1} && columns.range() == common.range_of(shard) &&
           numbers.have(common.classes) && numbers.response.size() == (common.by_columns ? 0 : columns.rows());
  }
};
using Design = PackedApp<DesignCommon, DesignShard>::Loaded;

// The line of number i in a list (rota/io/number_list.h); 0 if it has no lines.
inline std::uint64_t line_of(const std::string& list, std::size_t i) {
  return io::found_format(list) == "matrix_market" ? 0 : i + 1;
}

// The shards are the same in every process and with any number of threads; `hosted` has each shard once at most. Uses
// the threads of the task arena that it is called in.  Throws NoInput; DataError with file and line for invalid data;
// UsageError if the options of the format do not fit the files.
//
// Plain LIBSVM text is read by several threads, and by columns each process keeps only what its shards need.  Of other
// files, and by rows, every entry is in memory for a while: 12 bytes each.
Design load_columns(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted);
Design load_rows(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted);

}  // namespace rota::lasso
