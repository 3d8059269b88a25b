// rota/job.h -- what all of a plugin's hooks know of the job.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "rota/options.h"
#include "rota/types.h"

namespace rota {

class Model;
class PackedData;

// Equal in every process of the job, except for `memory` and `threads`.  The number of workers is left out on purpose:
// no result may depend on it.
struct Job {
  Options options;  // the framework's and the plugin's
  // Files, in a fixed order.  In a scheduler or a store, none if they are not on its machine; when a saved model is
  // read, none if they no longer exist.
  std::vector<std::string> input;
  std::vector<std::string> valid;  // the same, of held-out data
  std::uint64_t seed = 1;
  std::uint32_t shards = 1;
  std::uint32_t slices = 1;  // of the sliced table; a multiple of `shards`
  std::uint32_t schedulers = 1;
  std::uint32_t staleness = 0;  // commits that a push of a shared round does not see yet
  std::uint32_t pipeline = 0;   // the user's wish, for Schedule::pipeline; 0: none
  // The model of this app that the job begins with (--init_model), in a resumed job too; null if there is none.
  std::shared_ptr<const Model> initial = nullptr;
  // The data as `rota shard` wrote it (rota/packed.h), if the job is given such data; then load() reads nothing else,
  // and `input` and `valid` name its index.  Null if the job reads the user's files.
  std::shared_ptr<const PackedData> packed = nullptr;
  // Bytes of memory that one worker may use on this machine, for checks before a large allocation; 0: not known.
  // Nothing else may depend on it.
  std::uint64_t memory = 0;
  // Of this worker: load() may use as many.  No result may depend on it.
  std::uint32_t threads = 1;
};

// A table is a named set of rows of numbers.
struct Table {
  enum class Kind {
    shared,  // rows of doubles, kept by the store; all shards make parts for them
    sliced,  // rows in the plugin's own layout, cut into slices that are leased to one shard at a time
  };
  std::string name;
  Kind kind = Kind::shared;
  std::uint64_t keys = 0;         // rows 0 .. keys-1; of the sliced table the census gives the number
  std::uint32_t row_width = 0;    // doubles in a row (shared tables)
  std::uint32_t part_width = 0;   // doubles in a part (shared tables)
  std::uint32_t block_width = 0;  // and additional ones for every row before it in its block (rota/round.h)
  bool single_partition = false;  // all rows are in one partition, so that one pull sees the whole of a round
  // Few enough rows that each worker keeps all of them, once for all of its shards (rota/view.h).  Only such a table
  // has open rounds.  Stores divide it by ranges of keys.
  bool dense = false;
  // In a new job every row has a value from the beginning (App::start_row).
  bool started = false;
  Combine combine = Combine::sum;  // of the shards' parts (shared tables)
  // Bytes that all shards and slices together use for the model, without the views of dense tables, where that is worth
  // a check.  Estimate low rather than high.  They are allocated in attach() and later.
  double memory = 0;
  std::string sized_by = {};  // the option that an error message names if it is too much
};

// One additive number of an evaluation.  Shards, slices and shared rows each add their share; the shares
// are summed in a fixed order.
struct Term {
  enum class Kind {
    objective,   // a summand of an objective that grows with the data: its mean over the items is shown too
    report,      // shown beside the objective
    conserved,   // must add up to the number of items in the data; anything else stops the job as a bug in Rota
    normalised,  // a summand of an objective that does not grow with the data
  };
  std::string name;
  Kind kind = Kind::report;
};

// The sums of an evaluation while shares are added to them: terms["loss"] += loss.
class Terms {
 public:
  // sums[i] belongs to declared[i]; both must outlive it.
  Terms(const std::vector<Term>& declared, std::span<double> sums) : declared_(&declared), sums_(sums.data()) {}

  // Throws std::out_of_range for a name that App::terms() lacks.
  double& operator[](std::string_view name) const {
    for (std::size_t i = 0; i < declared_->size(); ++i)
      if ((*declared_)[i].name == name) return sums_[i];
    throw std::out_of_range("App::terms() has no term '" + std::string(name) + "'");
  }

 private:
  // Two pointers, which are passed in registers: there is a call for every row of the store.
  const std::vector<Term>* declared_;
  double* sums_;
};

// A number for users, computed from the terms of an evaluation and shown beside them.
struct Score {
  enum class Scale {
    sum,        // the term itself, whatever the count
    mean,       // the term / the count
    root_mean,  // the square root of that
    exp_mean,   // e to the power of that
  };
  enum class Better { smaller, larger };
  std::string name;
  std::string term;
  std::string count = {};  // the term to divide by: if it is 0, there is no score yet; "": the items of the data
  Scale scale = Scale::mean;
  Better better = Better::smaller;
  bool held_out = false;  // of held-out data: the first such score is `valid`, and what --patience watches
};

}  // namespace rota
