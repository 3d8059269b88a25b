// coordinator/epoch_sum.h -- adds up what workers and partitions report at an epoch's end, in a fixed order.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "core/records/records.h"
#include "core/wire/message.h"

namespace rota {

// Times and traffic: complete when every worker has reported.
class EpochTimes {
 public:
  explicit EpochTimes(std::uint32_t workers) : workers_(workers) {}

  // False if this worker has already reported the epoch.
  bool add(std::uint32_t worker, const EpochDone& done);
  bool complete() const { return reports_.size() == workers_; }
  // Fills items, traffic and the workers' times; `threads` of each worker are not known here, shares are.
  void fill(EpochRecord& record) const;

 private:
  std::uint32_t workers_;
  std::map<std::uint32_t, EpochDone> reports_;
};

// An evaluation: the terms of all shards, slices and partitions.  Sums run over the fixed tree of shard numbers, over
// that of slice numbers and over that of partitions, then shards + slices + rows: no bit depends on who hosts what.
class Evaluation {
 public:
  Evaluation(std::uint32_t shards, std::uint32_t slices, std::uint32_t partitions, std::size_t terms)
      : shards_(shards), slices_(slices), partitions_(partitions), terms_(terms) {}

  // False if the report does not fit: a number out of range, a second report, other terms.
  bool add(NodeId from, const Evaluated& report);
  bool complete() const;
  std::vector<double> total() const;

 private:
  using Terms = std::map<std::uint64_t, std::vector<double>>;
  static bool add_all(Terms& to, const std::vector<TermsOf>& from, std::uint32_t count, std::size_t terms);

  std::uint32_t shards_, slices_, partitions_;
  std::size_t terms_;
  Terms shard_terms_, slice_terms_, partition_terms_;
};

}  // namespace rota
