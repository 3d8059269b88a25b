// apps/lda/shard.h -- one data shard: its documents, the topics of their tokens, and the two kinds of round.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "apps/lda/cell_sampler.h"
#include "apps/lda/corpus.h"
#include "apps/lda/document_rows.h"
#include "apps/lda/log_likelihood.h"
#include "apps/lda/settings.h"
#include "apps/lda/shard_state.h"
#include "apps/lda/token_layout.h"
#include "apps/lda/topic_totals.h"
#include "rota/push.h"

namespace rota::lda {

class LdaPush final : public Push {
 public:
  // `vocabulary` may be null but in shard 0, which saves it.
  LdaPush(const Job& job, const Settings& settings, const io::CorpusSize& corpus, ShardDocuments documents,
          std::shared_ptr<const io::Vocabulary> vocabulary);

  std::uint64_t items() const override { return tokens_; }
  void census(Census& weight) const override;
  void attach(const Cut& cut) override;

  std::uint64_t push(SliceId id, Slice& slice, Epoch epoch, const Budget& budget, Random& random) override;
  std::uint64_t push(const SharedTask& task, Random& random) override;
  void refresh(std::span<const Delta> deltas) override;

  void evaluate(std::span<double> terms) const override;
  void evaluate(SliceId id, const Slice& slice, std::span<double> terms) const override;

  void save(Writer& out) const override;
  void restore(Reader& in) override;

 private:
  Draw draw(Epoch epoch) const;
  void sample(WordRow& row, const WordTokens& word, Random& random);
  void sample_replicated(const Entry& entry, const WordTokens& word, Random& random);
  bool fits(const ShardState& state) const;
  bool restore_rows(const ShardState& state);

  Settings settings_;
  std::uint32_t shards_;
  io::CorpusSize corpus_;
  ShardDocuments data_;  // without its counts once they are laid out
  std::shared_ptr<const io::Vocabulary> vocabulary_;
  std::uint64_t tokens_ = 0;

  std::vector<std::uint32_t> lengths_;  // of the documents, in tokens
  DocumentRows rows_;
  TokenLayout layout_;
  std::vector<Key> replicated_;  // the replicated words
  TopicTotals totals_;
  CellSampler sampler_;
  std::vector<std::uint32_t> cursors_;  // of each slice: where the next visit begins, a place in layout_.slice()
  double delta_t_ = 0;                  // this shard's summand, at the last commit

  // Logarithms of Gamma for alpha, K alpha, beta and V beta.
  LogGammaRise alpha_rise_, alphas_rise_, beta_rise_, betas_rise_;
};

}  // namespace rota::lda
