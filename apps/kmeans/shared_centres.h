// apps/kmeans/shared_centres.h -- the centres of one process, for all of its shards: what is derived from the view is
// derived once.  Threads may call it at the same time.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "apps/kmeans/centres.h"
#include "apps/kmeans/rows.h"

namespace rota::kmeans {

class SharedCentres {
 public:
  SharedCentres(std::uint64_t columns, std::uint32_t clusters);

  std::uint32_t clusters() const { return clusters_; }
  std::uint64_t columns() const { return columns_; }

  // These rows are the first members of the clusters `first`, `first` + 1, ...  Every shard hears of them; the first
  // one that says so puts them in.
  void start(std::uint32_t first, std::span<const Row> rows);
  // The squared distance of a row to the starting centre that came last.
  double to_newest(const Row& row) const;

  // The centres of the table's numbers, as they are in this version; before its first commit those of the start.  The
  // same object as long as nothing has changed; it refers to `table`.
  std::shared_ptr<const Centres> at(std::uint64_t version, std::span<const double> table);

 private:
  std::mutex mutex_;
  std::uint32_t clusters_;
  std::uint64_t columns_;
  std::vector<double> start_;   // a table of starting centres with one member each; empty when it is needed no more
  std::uint32_t started_ = 0;   // how many there are
  std::vector<double> newest_;  // the last of them
  double newest_norm_ = 0;
  std::shared_ptr<const Centres> centres_;  // and what they are made from:
  std::pair<std::uint64_t, std::uint32_t> made_from_;
};

}  // namespace rota::kmeans
