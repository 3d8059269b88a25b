#include "coordinator/evaluation.h"

#include <ranges>

#include "core/rounds/rules.h"

namespace rota {

bool Evaluation::add_all(Terms& to, const std::vector<TermsOf>& from, std::uint32_t count, std::size_t terms) {
  for (const TermsOf& one : from)
    if (one.id >= count || one.terms.size() != terms || !to.emplace(one.id, one.terms).second) return false;
  return true;
}

bool Evaluation::add(NodeId from, const Evaluated& report) {
  if (from.role == Role::partition) return add_all(partition_terms_, {{from.index, report.rows}}, partitions_, terms_);
  return add_all(shard_terms_, report.shards, shards_, terms_) && add_all(slice_terms_, report.slices, slices_, terms_);
}

std::vector<double> Evaluation::total() const {
  const auto leaves_of = [](const Terms& all) {
    const auto terms = std::views::values(all);
    return Leaves(terms.begin(), terms.end());
  };
  const Leaves shards = leaves_of(shard_terms_), slices = leaves_of(slice_terms_), rows = leaves_of(partition_terms_);
  return sum_of_terms({&shards, &slices, &rows}, terms_);
}

}  // namespace rota
