// apps/lda/warm_start.h -- the first topics of the tokens, drawn from an earlier model.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/row_change.h"
#include "apps/lda/sampler/shard_tokens.h"
#include "apps/lda/sampler/topic_count.h"
#include "apps/lda/sampler/topic_totals.h"
#include "rota/io/vocabulary.h"
#include "rota/random.h"
#include "rota/slices.h"

namespace rota::lda {

// A model's text form (export.h), for the words of this job.  Constant once it is read, so shards may share it.
class OldModel {
 public:
  // Throws NoInput or DataError; UsageError if the number of topics is not this job's.
  OldModel(const std::string& folder, std::uint32_t topics, const io::Vocabulary& vocabulary);

  // The old model's.
  const Priors& priors() const { return priors_; }
  std::uint64_t known_words() const { return known_words_; }
  // phi_wk of all topics; uniform if the old model does not have the word.
  void phi(std::uint32_t word, std::span<double> to) const;

 private:
  void read_priors(const std::string& path);
  void read_topics(const std::string& path);
  void read_words(const std::string& path, const io::Vocabulary& vocabulary);

  Priors priors_;
  std::vector<std::uint64_t> totals_;
  std::vector<WordRow> words_;  // of this job's words
  std::uint64_t old_words_ = 0, known_words_ = 0;
};

// The words of a shard in slices, and the old model from which their first topics are drawn.
class WarmStart {
 public:
  WarmStart(std::shared_ptr<const OldModel> old_model, std::uint32_t topics)
      : old_model_(std::move(old_model)), phi_(topics), upto_(topics), document_(topics) {}

  void attach(const Cut& cut) { slice_words_ = cut.slices; }
  // The number of a slice's row in the vocabulary.
  Key word_of(SliceId slice, std::uint32_t row) const { return slice_words_[slice][row]; }
  // Draws topics of a word's tokens; each draw sees the earlier ones in its document.
  void draw(const WordTokens& word, Key number, std::span<const double> alphas, ShardTokens& tokens,
            TopicTotals& totals, RowChange& row, Random& random);

 private:
  std::shared_ptr<const OldModel> old_model_;
  std::vector<std::vector<Key>> slice_words_;
  std::vector<double> phi_, upto_, document_;  // scratch, one number for each topic; document_ is zeros
  std::vector<TopicCount> cells_;
};

// Draws a topic in proportion to (n_dk + alpha_k) phi_k.  `upto`: scratch for K numbers.
std::uint16_t draw_topic(std::span<const double> document, std::span<const double> alphas, std::span<const double> phi,
                         std::span<double> upto, double uniform);

}  // namespace rota::lda
