// apps/lda/warm_start.h -- the first topics of the tokens, drawn from an earlier model (--init_model).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "apps/lda/commands/trained_model.h"
#include "apps/lda/sampler/shard_tokens.h"
#include "apps/lda/sampler/topic_totals.h"
#include "rota/random.h"
#include "rota/slices.h"

namespace rota::lda {

// The model for the words of this job.  Constant, so shards may share it.
class OldModel {
 public:
  // Throws UsageError if the number of topics is not this job's, DataError if it has no word of this job.
  OldModel(TrainedModel model, std::uint32_t topics, const std::vector<std::string>& vocabulary);

  const Priors& priors() const { return model_.priors; }
  // phi_wk of all topics; uniform if the model does not have the word.
  void phi(std::uint32_t word, std::span<double> to) const;

 private:
  TrainedModel model_;
  std::vector<std::uint32_t> in_model_;  // the number there of each word of this job
};

// The words of a shard in slices, and the old model from which their first topics are drawn.
class WarmStart {
 public:
  WarmStart(std::shared_ptr<const OldModel> old_model, std::uint32_t topics)
      : old_model_(std::move(old_model)), counts_(topics), phi_(topics), upto_(topics), document_(topics) {}

  void attach(const Cut& cut) { slice_words_ = cut.slices; }
  // The number of a slice's row in the vocabulary.
  Key word_of(SliceId slice, std::uint32_t row) const { return slice_words_[slice][row]; }
  // Draws topics of a word's tokens; each draw sees the earlier ones in its document.
  void draw(WordRow& row, const WordTokens& word, Key number, std::span<const double> alphas, ShardTokens& tokens,
            TopicTotals& totals, Random& random);

 private:
  std::shared_ptr<const OldModel> old_model_;
  std::vector<std::vector<Key>> slice_words_;
  // Scratch, one number for each topic; counts_ and document_ are zeros.
  std::vector<std::uint32_t> counts_;
  std::vector<double> phi_, upto_, document_;
  std::vector<TopicCount> cells_;
};

// Draws a topic in proportion to (n_dk + alpha_k) phi_k.  `upto`: scratch for K numbers.
std::uint16_t draw_topic(std::span<const double> document, std::span<const double> alphas, std::span<const double> phi,
                         std::span<double> upto, double uniform);

}  // namespace rota::lda
