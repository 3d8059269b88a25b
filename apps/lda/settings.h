// apps/lda/settings.h -- the options of the LDA app.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/lda/priors/priors.h"
#include "rota/io/corpus.h"
#include "rota/plugin.h"

namespace rota::lda {

// The tables and their keys.
inline constexpr TableId kWordTopic = 0;    // sliced: key w is word w
inline constexpr TableId kTotals = 1;       // shared
inline constexpr Key kTopicTotals = 0;      // its row of topic totals
inline constexpr Key kFirstReplicated = 1;  // its row 1 + w is the replicated word w
inline constexpr TableId kPriors = 2;       // shared: one row, the learned alphas and then beta

// The terms of an evaluation.  The last two are there only with held-out data.
enum TermId { kDocTerm, kWordTerm, kDeltaTerm, kTokensTerm, kValidLossTerm, kValidTokensTerm };

struct Settings {
  std::uint32_t topics = 100;
  double alpha = 0.1;  // of each topic, at first
  bool alpha_given = false;
  double beta = 0.01;  // of each word, at first
  bool online_start = true;
  Epoch learn_alpha = 0;  // re-estimated every that many epochs; 0: never
  Epoch learn_beta = 0;
  bool symmetric_alpha = false;
  Epoch burn_in = 5;      // the last epoch without re-estimates
  bool held_out = false;  // there is held-out data
  Epoch valid_every = 1;  // epochs between its scores
  io::CorpusFormat format = io::CorpusFormat::automatic;
  std::string vocabulary;  // a path, or ""
  std::size_t top_words = 10;

  Priors priors() const { return {std::vector<double>(topics, alpha), beta}; }
  // What is learned at the end of an epoch.
  bool learns_alpha(Epoch epoch) const { return epoch > burn_in && learn_alpha > 0 && epoch % learn_alpha == 0; }
  bool learns_beta(Epoch epoch) const { return epoch > burn_in && learn_beta > 0 && epoch % learn_beta == 0; }
  bool scores(Epoch epoch) const { return held_out && epoch > 0 && epoch % valid_every == 0; }
};

// Of training and of commands.
inline constexpr Option kFormatOption = {
    .name = "format",
    .kind = Option::Kind::choice,
    .default_value = "auto",
    .unit = "auto|uci|lda-c|text",
    .meaning = "Format of the input: UCI bag-of-words, LDA-C, or text with one document a line."};

std::span<const Option> options();
// Throws UsageError if the options contradict each other.
void check(const Options& options);
Settings settings_of(const Options& options);

}  // namespace rota::lda
