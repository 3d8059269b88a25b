// apps/linear/design/load.h -- the data of the shards that one process hosts: their blocks of the design matrix, and
// the response.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/linear/class_labels.h"
#include "apps/linear/design/columns.h"
#include "apps/linear/design/input.h"
#include "rota/io/matrix_format.h"
#include "rota/types.h"

namespace rota::linear {

// What to read.
struct Source {
  std::vector<std::string> files;  // one matrix: the rows of each file follow those of the previous one
  io::MatrixFormat format = io::MatrixFormat::automatic;  // of all files
  std::uint64_t index_from = 1;                           // of LIBSVM text
  std::string response;                                   // file of the response; MatrixMarket only, which needs it
  std::string weights;                                    // file of the rows' weights, or ""
  bool classes = false;                                   // the response is one of two classes
  Precision precision = Precision::automatic;
};

// Below, the response of two classes is the data's own labels, `classes` are those of the whole data, none for
// numbers, and weights are empty if the source has none.

// Shards are ranges of columns with about equal numbers of entries.
struct ColumnShards {
  DesignShape shape;
  std::vector<std::uint64_t> first_columns;  // of every shard, and at the end the number of columns
  ClassLabels classes;
  std::vector<double> response, weights;  // of all rows
  std::vector<Columns> hosted;            // all rows; in the order asked for
};
// Shards are ranges of rows, whose sizes differ by at most one.
struct RowShard {
  Columns columns;                        // all columns; columns.first_row() is where the shard begins
  std::vector<double> response, weights;  // of its rows
};
struct RowShards {
  DesignShape shape;
  std::vector<std::uint64_t> first_rows;  // of every shard, and at the end the number of rows
  ClassLabels classes;
  std::vector<RowShard> hosted;  // in the order asked for
};

// The shards are the same in every process and with any number of threads; `hosted` has each shard once at most. Uses
// the threads of the task arena that it is called in.  Throws NoInput; DataError with file and line for invalid data,
// in at least one of the processes that together host all shards; UsageError if format and response are not compatible.
ColumnShards load_columns(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted);
RowShards load_rows(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted);

}  // namespace rota::linear
