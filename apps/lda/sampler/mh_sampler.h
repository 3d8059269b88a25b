// apps/lda/sampler/mh_sampler.h -- new topics for tokens by Metropolis-Hastings steps, in time that does not depend on
// the number of topics (Yuan et al., "LightLDA", WWW 2015; Chen et al., "WarpLDA", VLDB 2016).
//
// For a token with topic s others are proposed, in turn from its document and its word:
//
//   from the document  t ~ n_dt + alpha_t:  the topic of a random token of the document, or one drawn from alpha
//   from the word      t ~ n_wt + beta:     the topic of a random token of the word, or any
//
// all counts without the token itself: if it draws itself, nothing is proposed.  So both proposals are symmetric in
// what they see, and with p(t) ~ (n_dt + alpha_t) (n_wt + beta) / (n_t + V beta) a proposal is accepted with
// probability
//
//   from the document  min(1, phi_t / phi_s)           phi_t = (n_wt + beta) / (n_t + V beta)
//   from the word      min(1, (n_dt + alpha_t) / (n_t + V beta) * (n_s + V beta) / (n_ds + alpha_s))
//
// Unlike in those papers no proposal is stale: the shard's own tokens of the word are looked up directly, and only
// those of other shards, which are constant during the task, come from a table.  So every step leaves p invariant.
#pragma once
#include <cstdint>
#include <span>

#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/cell_kernel.h"
#include "apps/lda/sampler/document_rows.h"
#include "apps/lda/sampler/document_tokens.h"
#include "apps/lda/sampler/guide_table.h"
#include "apps/lda/sampler/topic_count.h"

namespace rota::lda {

// Pairs of proposals in a visit.  Measured on wikipedia-en at K = 5000: two and four take equal time to a likelihood,
// one and eight about a fifth longer.
inline constexpr std::uint32_t kMhPairs = 2;

class MhSampler {
 public:
  void set_priors(const Priors& priors);
  // Both must outlive the cells until the next begin().
  void begin(DocumentRows& rows, DocumentTokens& documents);

  // Called before the tokens of a cell; `side.word` has the current counts, `row` those at the beginning of the cell.
  // `token_topics` are those of all its tokens in this shard.
  void begin_cell(Side& side, const WordRow& row, std::span<std::uint16_t> token_topics);
  // Draws for `side.tokens` of them; `places` are those of DocumentTokens.  Changes n_wk, n_k, 1 / (n_k + V beta), the
  // documents' counts and topics; not phi.
  void sample(Cell& cell, Side& side, std::span<const std::uint32_t> places);

 private:
  struct Visit;    // the part of a token's visit that is known beforehand
  struct Current;  // the current topic of a token

  void prepare(const Cell& cell, const Side& side, std::uint32_t i, std::uint32_t place, Visit& visit);
  void prefetch_counts(const Visit& visit);
  void finish(Cell& cell, Side& side, std::uint32_t i, std::uint32_t place, const Visit& visit);
  void move(Cell& cell, Side& side, std::uint32_t document, std::uint32_t from, std::uint32_t to);
  const std::uint16_t* from_document(const Cell& cell, std::uint32_t document, double share, std::uint16_t& direct);
  const std::uint16_t* from_word(const Cell& cell, double share, std::uint16_t& direct);

  double alpha_sum_ = 0, beta_sum_ = 0, topics_per_alpha_ = 0, topics_per_beta_ = 0;
  GuideTable alphas_;  // empty if they are all the same
  GuideTable others_;  // the tokens of the word in other shards
  std::span<std::uint16_t> token_topics_;
  DocumentRows* rows_ = nullptr;
  DocumentTokens* documents_ = nullptr;
};

}  // namespace rota::lda
