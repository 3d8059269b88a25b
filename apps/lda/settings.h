// apps/lda/settings.h -- the options of the LDA app.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "apps/lda/priors/priors.h"
#include "rota/io/corpus.h"
#include "rota/plugin.h"
#include "rota/settings.h"

namespace rota::lda {

// The tables and their keys.
inline constexpr TableId kWordTopic = 0;    // sliced: key w is word w
inline constexpr TableId kTotals = 1;       // shared
inline constexpr Key kTopicTotals = 0;      // its row of topic totals
inline constexpr Key kFirstReplicated = 1;  // its row 1 + w is the replicated word w
inline constexpr TableId kPriors = 2;       // shared: one row, the learned alphas and then beta

struct Settings {
  std::uint32_t topics = 100;
  double alpha = 0.1;  // of each topic, at first
  double alpha_sum = 0;
  bool alpha_given = false;
  double beta = 0.01;     // of each word, at first
  Epoch learn_alpha = 0;  // re-estimated every that many epochs; 0: never
  bool symmetric_alpha = false;
  Epoch learn_beta = 0;
  Epoch burn_in = 5;         // the last epoch without re-estimates
  bool held_out = false;     // there is held-out data
  Epoch valid_every = 1;     // epochs between its scores
  std::uint32_t copies = 1;  // of each token, for SAME (README.md)
  std::string vocabulary;    // a path, or ""
  io::CorpusForm form;
  bool online_start = true;
  std::uint32_t top_words = 10;

  void options(auto& list) {
    list.number("topics", topics, "topics", 2, 65535, "Number of topics, K.");
    list.number("alpha", alpha, "", kLeastPrior, kMostPrior,
                "Dirichlet parameter of each topic in a document (0.1 unless alpha_sum is given).")
        .default_value = {};
    list.number("alpha_sum", alpha_sum, "", kLeastPrior, kMostPrior,
                "Sum of the topics' Dirichlet parameters in a document, instead of alpha.")
        .default_value = {};
    list.number("beta", beta, "", kLeastPrior, kMostPrior, "Dirichlet parameter of each word in a topic.");
    list.number("learn_alpha", learn_alpha, "epochs", 0, 1e9,
                "Re-estimate alpha, for each topic, every N epochs; 0: never.");
    list.flag("symmetric_alpha", symmetric_alpha, "Learn one alpha for all topics.");
    list.number("learn_beta", learn_beta, "epochs", 0, 1e9, "Re-estimate beta every N epochs; 0: never.");
    list.number("burn_in", burn_in, "epochs", 0, 1e9, "The last epoch without re-estimates of alpha and beta.")
        .needs = {"--learn_alpha or --learn_beta", learns};
    list.number("valid_every", valid_every, "epochs", 1, 1e9, "Epochs between scores of the held-out documents.")
        .needs = {"--valid", [](const Options& given) { return given.has("valid"); }};
    list.number("copies", copies, "copies", 1, 1000,
                "Topics of each token, drawn together: with more, an epoch takes longer and fits better (SAME).");
    list.path("vocab", vocabulary, "File with the words, one a line in the order of their ids.");
    list.all_of(form);
    list.choice("start", online_start, {{"online", true}, {"random", false}},
                "First topics of the tokens: drawn from the counts so far, or uniformly.")
        .needs = {"jobs without --init_model", [](const Options& given) { return !given.has("init_model"); }};
    list.number("top_words", top_words, "words", 1, 1000, "Number of words that the text export lists for a topic.");
  }

  Priors priors() const { return {std::vector<double>(topics, alpha), beta}; }
  // What is learned at the end of an epoch.
  bool learns_alpha(Epoch epoch) const { return epoch > burn_in && learn_alpha > 0 && epoch % learn_alpha == 0; }
  bool learns_beta(Epoch epoch) const { return epoch > burn_in && learn_beta > 0 && epoch % learn_beta == 0; }
  bool scores(Epoch epoch) const { return held_out && epoch > 0 && epoch % valid_every == 0; }

 private:
  static bool learns(const Options& given) {
    return given.integer("learn_alpha") > 0 || given.integer("learn_beta") > 0;
  }
};

// Throws UsageError if the options contradict each other.
Settings settings_of(const Options& options);

}  // namespace rota::lda
