// coordinator/evaluation.h -- an evaluation: the sums of its terms.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "core/wire/message.h"

namespace rota {

// The terms of all shards, slices and partitions.  Sums run over the fixed tree of shard numbers, over
// that of slice numbers and over that of partitions, then shards + slices + rows: no bit depends on which worker hosts
// what.
class Evaluation {
 public:
  Evaluation(std::uint32_t shards, std::uint32_t slices, std::uint32_t partitions, std::size_t terms)
      : shards_(shards), slices_(slices), partitions_(partitions), terms_(terms) {}

  // False if the report does not fit: a number out of range, a second report, other terms.
  bool add(NodeId from, const Evaluated& report);
  bool complete() const {
    return shard_terms_.size() == shards_ && slice_terms_.size() == slices_ && partition_terms_.size() == partitions_;
  }
  std::vector<double> total() const;

 private:
  using Terms = std::map<std::uint64_t, std::vector<double>>;
  static bool add_all(Terms& to, const std::vector<TermsOf>& from, std::uint32_t count, std::size_t terms);

  std::uint32_t shards_, slices_, partitions_;
  std::size_t terms_;
  Terms shard_terms_, slice_terms_, partition_terms_;
};

}  // namespace rota
