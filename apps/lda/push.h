// apps/lda/push.h -- one data shard: collapsed Gibbs sampling of its tokens in the rounds of a rotation.
//
// A warm start, learning the priors and held-out documents have classes of their own.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "apps/lda/corpus.h"
#include "apps/lda/held_out/held_out.h"
#include "apps/lda/priors/learn_priors.h"
#include "apps/lda/priors/log_likelihood.h"
#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/cell_sampler.h"
#include "apps/lda/sampler/shard_tokens.h"
#include "apps/lda/sampler/topic_totals.h"
#include "apps/lda/sampler/word_topic_slice.h"
#include "apps/lda/schedule.h"
#include "apps/lda/settings.h"
#include "apps/lda/shard_state.h"
#include "apps/lda/warm_start.h"
#include "rota/push.h"

namespace rota::lda {

class LdaPush final : public SlicePush<WordTopicSlice>, public SharedPush {
 public:
  // `old_model` is null if there is no warm start.
  LdaPush(const Job& job, const Settings& settings, const Corpus& corpus, ShardId shard, ShardDocuments documents,
          std::shared_ptr<const OldModel> old_model);

  std::uint64_t items() const override { return tokens_.size(); }
  void facts(Facts& facts) const override {
    facts.largest("words", static_cast<double>(words_));
    facts.largest("tokens", static_cast<double>(corpus_tokens_));
  }
  void census(Census& weight) const override;
  void attach(const Shape& shape) override;

  std::uint64_t push(const SliceTask& task, WordTopicSlice& rows, Random& random) override;
  std::uint64_t push(const SharedTask& task, Random& random) override;
  void refresh(const Commit& commit) override;

  void evaluate(Terms terms) const override;
  void evaluate_slice(SliceId id, const WordTopicSlice& rows, Terms terms) const override;

  void state(Archive& list) override { list.reads() ? restore(*list.reader()) : save(*list.writer()); }
  void save(Writer& out) const;
  void restore(Reader& in);
  bool restores_in_place() const override { return true; }

 private:
  void begin(Epoch epoch);
  Draw draw() const;
  // Whether n_k is updated within a task.  With one shard it is then exact; with several it lags anyway, which matters
  // little if topics are large.
  bool exact_totals() const { return shards_ == 1 || is_small(corpus_tokens_, settings_.topics); }
  // Of one word in this shard.  `number` is the word's; only a warm start uses it.
  void set_topics(WordRow& row, const WordTokens& word, Key number, Random& random);
  void sample(WordRow& row, const WordTokens& word, Random& random);
  std::uint64_t push_totals(const SharedTask& task, Random& random);
  void set_topics_replicated(const Entry& entry, const WordTokens& word, Random& random);
  void visit_held_out(SliceId group, std::size_t i, const WordRow& row);
  void send_statistics(const SharedTask& task);
  void commit_totals(const Commit& commit);
  void set_priors(const Priors& priors);

  bool fits(const ShardState& state) const;

  Settings settings_;
  std::uint32_t shards_, slices_;
  std::uint64_t words_, corpus_tokens_;
  ShardId shard_;
  ShardDocuments data_;          // without its counts once they are laid out
  Priors priors_;                // of one copy of each token; counts are those of all copies
  bool speaks_for_all_ = false;  // whether it reports the replicated words and the priors, which are common to all

  ShardTokens tokens_;
  std::vector<Key> replicated_;  // the replicated words
  TopicTotals totals_;
  CellSampler sampler_;
  std::vector<std::uint32_t> cursors_;  // of each slice: where the next visit begins, an index into layout().slice()
  double delta_t_ = 0;                  // this shard's summand, at the last commit
  PriorTerms prior_terms_;

  Epoch epoch_ = 0;
  bool from_old_model_ = false;  // this epoch's topics are drawn from the old model
  std::optional<WarmStart> warm_start_;
  CountHistogram visited_;            // n_wk of the slices visited for the last time in an epoch that learns beta
  CountHistogram replicated_counts_;  // committed n_wk of the replicated words, the same for all shards
  HeldOut held_out_;
  HeldOutScore score_;      // of this shard, in the last epoch that scored
  std::vector<float> phi_;  // of one word: scratch for held-out documents
};

}  // namespace rota::lda
