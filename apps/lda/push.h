// apps/lda/push.h -- one data shard: its documents, the topics of their tokens, and the kinds of round.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "apps/lda/corpus.h"
#include "apps/lda/held_out/early_stop.h"
#include "apps/lda/held_out/held_out.h"
#include "apps/lda/priors/count_histogram.h"
#include "apps/lda/priors/log_likelihood.h"
#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/cell_sampler.h"
#include "apps/lda/sampler/document_rows.h"
#include "apps/lda/sampler/document_tokens.h"
#include "apps/lda/sampler/token_layout.h"
#include "apps/lda/sampler/topic_totals.h"
#include "apps/lda/sampler/word_topic_slice.h"
#include "apps/lda/settings.h"
#include "apps/lda/shard_state.h"
#include "apps/lda/warm_start.h"
#include "rota/push.h"

namespace rota::lda {

class LdaPush final : public Push {
 public:
  // `vocabulary` may be null but in shard 0, which saves it; `old_model` if there is no warm start.
  LdaPush(const Job& job, const Settings& settings, const io::CorpusSize& corpus, ShardDocuments documents,
          std::shared_ptr<const io::Vocabulary> vocabulary, std::shared_ptr<const OldModel> old_model);

  std::uint64_t items() const override { return tokens_; }
  void census(Census& weight) const override;
  void attach(const Cut& cut) override;

  std::uint64_t push(SliceId id, Slice& slice, Epoch epoch, const Budget& budget, Random& random) override;
  std::uint64_t push(const SharedTask& task, Random& random) override;
  void refresh(const Commit& commit) override;

  void evaluate(std::span<double> terms) const override;
  void evaluate(SliceId id, const Slice& slice, std::span<double> terms) const override;

  void save(Writer& out) const override;
  void restore(Reader& in) override;

 private:
  // How the tokens come by their topics.
  enum class Assignment : std::uint8_t {
    gibbs,
    warm_start,  // drawn from the old model
    rollback,    // as they were in the best epoch
  };
  void begin(Epoch epoch);
  Draw draw() const;
  // `number` is the word's; it matters to a warm start only.
  void set_topics(WordRow& row, const WordTokens& word, Key number, Random& random);
  void put_back(const WordTokens& word);
  void draw_from_old_model(const WordTokens& word, Key number, Random& random);
  std::uint64_t push_totals(const SharedTask& task, Random& random);
  void set_topics_replicated(const Entry& entry, const WordTokens& word, Random& random);
  void tell_statistics(const SharedTask& task);
  void visit_held_out(SliceId group, std::size_t i, const WordRow& row);
  void note_word_counts(SliceId id, const WordTopicSlice& rows);
  void commit_totals(const Commit& commit);
  void commit_score(std::span<const double> value);
  void set_priors(const Priors& priors);

  bool fits(const ShardState& state) const;
  bool has_this_vocabulary(const ShardState& state) const;
  // The documents' counts from their tokens' topics.  False if `state` has others.
  bool restore_rows(const ShardState& state);
  void rebuild_rows();
  std::vector<std::vector<TopicCount>> counts_of_documents() const;

  Settings settings_;
  std::uint32_t shards_, slices_;
  io::CorpusSize corpus_;
  ShardDocuments data_;  // without its counts once they are laid out
  std::shared_ptr<const io::Vocabulary> vocabulary_;
  std::shared_ptr<const OldModel> old_model_;
  std::uint64_t tokens_ = 0;
  Priors priors_;

  std::vector<std::uint32_t> lengths_;  // of the documents, in tokens
  DocumentRows rows_;
  TokenLayout layout_;
  DocumentTokens mh_documents_;
  std::vector<Key> replicated_;                // the replicated words
  std::vector<std::vector<Key>> slice_words_;  // of each slice, for a warm start
  TopicTotals totals_;
  CellSampler sampler_;
  std::vector<std::uint32_t> cursors_;  // of each slice: where the next visit begins, a place in layout_.slice()
  double delta_t_ = 0;                  // this shard's summand, at the last commit
  PriorTerms rises_;

  Epoch epoch_ = 0;
  Assignment assignment_ = Assignment::gibbs;
  CountHistogram word_counts_;        // of the slices visited last in an epoch that learns beta
  CountHistogram replicated_counts_;  // of the committed replicated words; shard 0 alone
  HeldOut held_out_;
  HeldOutScore score_;
  EarlyStop early_stop_;
  std::vector<std::uint16_t> best_topics_;  // of the tokens, and the priors, at the best score
  Priors best_priors_;
  std::vector<float> phi_;          // of one word: room for held-out documents
  std::vector<std::int64_t> more_;  // likewise: changes of a row
};

}  // namespace rota::lda
