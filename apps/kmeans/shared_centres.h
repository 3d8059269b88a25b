// apps/kmeans/shared_centres.h -- the centres of one process, for all of its shards: derived once from the view.
// Threads may call it at the same time.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "apps/kmeans/centres.h"
#include "apps/kmeans/rows.h"
#include "rota/types.h"

namespace rota::kmeans {

class SharedCentres {
 public:
  SharedCentres(std::uint64_t columns, std::uint32_t clusters);

  std::uint32_t clusters() const { return clusters_; }
  std::uint64_t columns() const { return columns_; }

  // These rows were drawn in this round, with this version of the view, for the cluster `first`; a start begins with
  // the cluster 0, and is complete if there are as many rows as clusters.  Every shard reports it; the first report
  // counts.
  void draw(std::pair<RoundId, std::uint64_t> round_and_version, std::uint32_t first, std::span<const Row> rows);
  // The rows that were drawn last, each as a centre.
  const Centres& drawn() const { return *drawn_; }
  // The i-th of them is the first member of the cluster after the last one that has one.  Every shard reports it.
  void take(std::uint32_t cluster, std::uint32_t i);

  // The centres of the table's numbers in this version, or those of a start until its first commit.  The same object as
  // long as nothing has changed; it refers to `table`.
  std::shared_ptr<const Centres> at(std::uint64_t version, std::span<const double> table);

 private:
  std::mutex mutex_;
  std::uint32_t clusters_;
  std::uint64_t columns_;
  std::pair<RoundId, std::uint64_t> drawn_in_ = {0, 0};  // rounds count from 1
  std::vector<double> drawn_table_;
  std::unique_ptr<const Centres> drawn_;
  std::vector<double> start_;  // a table of starting centres with one member each; empty when it is no longer needed
  std::uint32_t started_ = 0;  // their number
  std::uint64_t start_version_ = 0;
  std::shared_ptr<const Centres> centres_;  // and their source: the version, and whether it is the start
  std::pair<std::uint64_t, bool> made_from_;
};

}  // namespace rota::kmeans
