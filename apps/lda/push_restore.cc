// apps/lda/push_restore.cc -- what a shard saves, and what it checks before it takes it back.
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
  state.documents.resize(lengths_.size());
  for (std::size_t d = 0; d < lengths_.size(); ++d) {
    state.documents[d].is_list = rows_.is_list(d);
    rows_.append_counts(d, state.documents[d].cells);
  }
  state.token_topics.assign(layout_.topics().begin(), layout_.topics().end());
  state.priors = priors_;
  state.replicated = replicated_counts_;
  state.held_out = held_out_.expected();
  state.score = score_;
  state.early_stop = early_stop_;
  state.best_topics = best_topics_;
  state.best_priors = best_priors_;
  state.has_vocabulary = data_.shard == 0;
  if (state.has_vocabulary)
    for (std::size_t w = 0; w < vocabulary_->size(); ++w) state.vocabulary.push_back(vocabulary_->word(w));
  state.encode(out);
}

void LdaPush::restore(Reader& in) {
  const ShardState state = ShardState::decode(in);
  if (!in.ok() || !fits(state) || !held_out_.set_expected(state.held_out)) return in.fail();
  std::copy(state.token_topics.begin(), state.token_topics.end(), layout_.topics().begin());
  if (!restore_rows(state)) return in.fail();
  mh_documents_.assign(layout_.topics());
  const std::vector<double> committed(state.committed.begin(), state.committed.end());
  totals_.commit(committed);
  set_priors(state.priors);
  cursors_ = state.cursors;
  delta_t_ = state.delta_t;
  replicated_counts_ = state.replicated;
  score_ = state.score;
  early_stop_.take(state.early_stop);
  best_topics_ = state.best_topics;
  best_priors_ = state.best_priors;
}

// Whether a state is of this shard of this data.
bool LdaPush::fits(const ShardState& state) const {
  if (state.topics != settings_.topics || state.shard != data_.shard || state.shards != shards_) return false;
  if (state.documents.size() != lengths_.size() || state.token_topics.size() != tokens_) return false;
  if (state.cursors.size() != cursors_.size()) return false;
  for (SliceId b = 0; b < cursors_.size(); ++b) {
    const std::size_t words = layout_.slice(b).size();
    if (state.cursors[b] >= std::max<std::size_t>(words, 1)) return false;
  }
  std::int64_t total = 0;
  for (const std::int64_t each : state.committed) total += each;
  if (static_cast<std::uint64_t>(total) != corpus_.tokens) return false;
  // A shard may have no tokens, and then the best topics are none too.
  const bool has_best = settings_.patience > 0 && state.early_stop.scores() > 0 && tokens_ > 0;
  if (state.best_topics.size() != (has_best ? tokens_ : 0)) return false;
  if (data_.shard != 0 && !state.replicated.empty()) return false;
  return has_this_vocabulary(state);
}

bool LdaPush::has_this_vocabulary(const ShardState& state) const {
  if (state.has_vocabulary != (data_.shard == 0)) return false;
  if (!state.has_vocabulary) return true;
  if (state.vocabulary.size() != vocabulary_->size()) return false;
  for (std::size_t w = 0; w < state.vocabulary.size(); ++w)
    if (state.vocabulary[w] != vocabulary_->word(w)) return false;
  return true;
}

std::vector<std::vector<TopicCount>> LdaPush::counts_of_documents() const {
  std::vector<std::size_t> next(lengths_.size() + 1, 0);  // begin of each document's topics, and then their end
  for (std::size_t d = 0; d < lengths_.size(); ++d) next[d + 1] = next[d] + lengths_[d];
  std::vector<std::uint16_t> topics(tokens_);
  for (std::size_t i = 0; i < topics.size(); ++i) topics[next[layout_.documents()[i]]++] = layout_.topics()[i];

  std::vector<std::vector<TopicCount>> documents(lengths_.size());
  std::size_t begin = 0;
  for (std::size_t d = 0; d < lengths_.size(); begin = next[d++]) {
    const auto of_document = std::span(topics).subspan(begin, next[d] - begin);
    std::sort(of_document.begin(), of_document.end());
    for (const std::uint16_t topic : of_document) {
      if (documents[d].empty() || documents[d].back().topic != topic) documents[d].push_back({0, topic});
      ++documents[d].back().count;
    }
  }
  return documents;
}

void LdaPush::rebuild_rows() {
  const auto documents = counts_of_documents();
  for (std::size_t d = 0; d < documents.size(); ++d) rows_.assign(d, rows_.is_list(d), documents[d]);
  mh_documents_.assign(layout_.topics());
}

bool LdaPush::restore_rows(const ShardState& state) {
  const auto documents = counts_of_documents();
  for (std::size_t d = 0; d < documents.size(); ++d) {
    const std::vector<TopicCount>& saved = state.documents[d].cells;
    std::vector<TopicCount> sorted = saved;  // the order of a list is its own
    std::sort(sorted.begin(), sorted.end(), [](TopicCount a, TopicCount b) { return a.topic < b.topic; });
    if (sorted != documents[d] || !rows_.assign(d, state.documents[d].is_list, saved)) return false;
  }
  return true;
}

}  // namespace rota::lda
