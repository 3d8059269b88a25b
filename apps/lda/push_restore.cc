// apps/lda/push_restore.cc -- what a shard saves, and its checks before it restores that.
#include <algorithm>
#include <utility>

#include "apps/lda/push.h"

namespace rota::lda {

void LdaPush::save(Writer& out) const {
  ShardState state;
  state.topics = settings_.topics;
  state.shard = data_.shard;
  state.shards = shards_;
  state.delta_t = delta_t_;
  state.committed.assign(totals_.committed().begin(), totals_.committed().end());
  state.cursors = cursors_;
  state.documents.resize(tokens_.lengths().size());
  std::vector<TopicCount> counts;  // reused
  for (std::size_t d = 0; d < state.documents.size(); ++d) {
    state.documents[d].is_list = tokens_.rows().is_list(d);
    tokens_.counts_of(d, counts);
    state.documents[d].cells = counts;
  }
  state.tokens.of_tokens.assign(tokens_.layout().topics().begin(), tokens_.layout().topics().end());
  state.priors = priors_;
  state.replicated = prior_counts_.replicated();
  state.held_out = held_out_.expected();
  state.score = score_;
  // The size of the largest part, reserved at once: a buffer that grows is copied again and again.
  out.reserve(out.view().size() + 2 * state.tokens.of_tokens.size() + 8 * state.documents.size());
  write_fields(out, state);
}

void LdaPush::restore(Reader& in) {
  const ShardState state = ShardState::read(in);
  if (!in.ok() || !fits(state) || !held_out_.set_expected(state.held_out)) return in.fail();
  if (!tokens_.restore(state.tokens.of_tokens, state.documents)) return in.fail();
  const std::vector<double> committed(state.committed.begin(), state.committed.end());
  totals_.commit(committed);
  set_priors(state.priors);
  cursors_ = state.cursors;
  delta_t_ = state.delta_t;
  prior_counts_ = {};
  prior_counts_.set_replicated(state.replicated);
  score_ = state.score;
}

// Whether a state belongs to this shard and its data.
bool LdaPush::fits(const ShardState& state) const {
  if (state.topics != settings_.topics || state.shard != data_.shard || state.shards != shards_) return false;
  if (state.documents.size() != tokens_.lengths().size() || state.tokens.of_tokens.size() != tokens_.size())
    return false;
  if (state.cursors.size() != cursors_.size()) return false;
  for (SliceId b = 0; b < cursors_.size(); ++b) {
    const std::size_t words = tokens_.layout().slice(b).size();
    if (state.cursors[b] >= std::max<std::size_t>(words, 1)) return false;
  }
  std::uint64_t total = 0;
  for (const std::uint32_t each : state.committed) total += each;
  if (total != corpus_.tokens) return false;
  if (!speaks_for_all_ && !state.replicated.empty()) return false;
  return true;
}

}  // namespace rota::lda
