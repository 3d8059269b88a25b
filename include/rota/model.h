// rota/model.h -- a committed model as a plugin's commands read it.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "rota/bytes.h"
#include "rota/facts.h"
#include "rota/job.h"
#include "rota/slices.h"
#include "rota/types.h"

namespace rota {

// Read-only.  Every read checks the stored checksum, and throws DataError if something is missing or damaged.
class Model {
 public:
  virtual ~Model() = default;

  virtual const Job& job() const = 0;
  virtual const Facts& facts() const = 0;
  virtual const Cut& cut() const = 0;
  virtual Epoch epoch() const = 0;
  // The value of a shared row; zeros if it was never committed.
  virtual std::vector<double> row(TableId, Key) const = 0;
  // Calls f(key, value) for every row of a shared table that was ever committed, in the order of the keys.
  virtual void for_each_row(TableId, const std::function<void(Key, std::span<const double>)>& f) const = 0;
  // What Slice::encode wrote.
  virtual Bytes slice(SliceId) const = 0;
  // What Push::save wrote.
  virtual Bytes shard(ShardId) const = 0;
  // What App::save_common wrote.
  virtual Bytes common() const = 0;
};

}  // namespace rota
