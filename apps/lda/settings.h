// apps/lda/settings.h -- the options of the LDA app and what they say.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "apps/io/corpus.h"
#include "rota/job.h"
#include "rota/options.h"

namespace rota::lda {

// The tables and their keys.
inline constexpr TableId kWordTopic = 0;    // sliced: key w is word w
inline constexpr TableId kTotals = 1;       // shared
inline constexpr Key kTopicTotals = 0;      // its row of topic totals
inline constexpr Key kFirstReplicated = 1;  // its row 1 + w is the replicated word w

// The terms of an evaluation.
enum TermId { kDocTerm, kWordTerm, kDeltaTerm, kTokensTerm, kTerms };

struct Settings {
  std::uint32_t topics = 100;
  double alpha = 0.1;  // of each topic
  double beta = 0.01;  // of each word
  bool online_start = true;
  io::CorpusFormat format = io::CorpusFormat::automatic;
  std::string vocabulary;  // a path, or ""
  std::size_t top_words = 10;
};

std::span<const Option> options();
// Throws UsageError if the options do not go together.
void check(const Options& options);
Settings settings_of(const Options& options);

}  // namespace rota::lda
