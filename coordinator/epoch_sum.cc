#include "coordinator/epoch_sum.h"

#include "core/rounds/rules.h"

namespace rota {

bool EpochTimes::add(std::uint32_t worker, const EpochDone& done) {
  return reports_.emplace(worker, done).second;
}

void EpochTimes::fill(EpochRecord& record) const {
  constexpr double kSecondsPerNs = 1e-9;
  double slowest = -1;
  for (const auto& [worker, done] : reports_) {
    const double compute = static_cast<double>(done.compute_ns) * kSecondsPerNs;
    const double wait = static_cast<double>(done.wait_ns) * kSecondsPerNs;
    record.items += done.items;
    record.bytes_sent += done.bytes_sent;
    record.slice_bytes += done.slice_bytes;
    record.exchange_bytes += done.exchange_bytes;
    record.workers.push_back({compute, wait, done.bytes_sent});
    if (compute > slowest) {
      slowest = compute;
      record.slowest = NodeId{Role::worker, worker}.name();
      record.waiting_share = compute + wait > 0 ? wait / (compute + wait) : 0;
    }
  }
}

bool Evaluation::add_all(Terms& to, const std::vector<TermsOf>& from, std::uint32_t count, std::size_t terms) {
  for (const TermsOf& one : from)
    if (one.id >= count || one.terms.size() != terms || !to.emplace(one.id, one.terms).second) return false;
  return true;
}

bool Evaluation::add(NodeId from, const Evaluated& report) {
  if (from.role == Role::partition) return add_all(partition_terms_, {{from.index, report.rows}}, partitions_, terms_);
  return add_all(shard_terms_, report.shards, shards_, terms_) && add_all(slice_terms_, report.slices, slices_, terms_);
}

bool Evaluation::complete() const {
  return shard_terms_.size() == shards_ && slice_terms_.size() == slices_ && partition_terms_.size() == partitions_;
}

std::vector<double> Evaluation::total() const {
  const auto leaves_of = [](const Terms& all) {
    Leaves leaves;
    for (const auto& [id, terms] : all) leaves.push_back(terms);
    return leaves;
  };
  const Leaves shards = leaves_of(shard_terms_), slices = leaves_of(slice_terms_), rows = leaves_of(partition_terms_);
  return sum_of_terms({&shards, &slices, &rows}, terms_);
}

}  // namespace rota
