#include "apps/lda/pull.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "apps/lda/priors/learn_priors.h"
#include "apps/lda/priors/prior_statistics.h"

namespace rota::lda {

void LdaPull::pull(const PullTask& task) {
  if (task.table == kTotals) return AddPull::pull(task);
  if (task.table == kPriors) return learn(task);
  for (const PullEntry& entry : task.entries) std::copy(entry.sum.begin(), entry.sum.end(), entry.value.begin());
}

void LdaPull::learn(const PullTask& task) const {
  if (task.entries.size() != 1 || task.argument.size() != 2)
    throw std::runtime_error("a round of priors has one row, and its argument is what is learned");
  const PullEntry& entry = task.entries[0];
  PriorStatistics all;
  all.topic_counts.resize(entry.value.size() - 1);
  for (const Bytes& note : task.notes) all.add(read_fields<PriorStatistics>(note));
  if (!all.common) throw std::runtime_error("no shard reported the priors");
  const Priors priors = learned_priors(
      all, {.alpha = task.argument[0] != 0, .one_alpha = symmetric_alpha_, .beta = task.argument[1] != 0});
  std::copy(priors.alphas.begin(), priors.alphas.end(), entry.value.begin());
  entry.value.back() = priors.beta;
}

}  // namespace rota::lda
