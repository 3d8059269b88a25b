// apps/lda/settings.h -- the tables and the options of the LDA app.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/lda/priors/priors.h"
#include "rota/error.h"
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

enum class Start : std::uint8_t { online, annealed, random };

struct Settings {
  std::uint32_t topics = 100;
  std::optional<double> alpha;  // of each topic
  double beta = 0.01;           // of each word, at first
  Epoch learn_alpha = 0;        // re-estimated every that many epochs; 0: never
  Epoch learn_beta = 0;
  Epoch burn_in = 5;         // the last epoch without re-estimates
  std::uint32_t copies = 1;  // of each token, for SAME (README.md)
  std::string vocabulary;    // a path, or ""
  io::CorpusForm form;
  Start start = Start::online;
  bool held_out = false;  // there is held-out data

  void options(auto& list) {
    list.number("topics", topics, "topics", 1, 65535, "Number of topics, K.");
    list.number("alpha", alpha, "", kLeastPrior, kMostPrior,
                "Dirichlet parameter of each topic in a document (0.1, or that of --init_model).");
    list.number("beta", beta, "", kLeastPrior, kMostPrior, "Dirichlet parameter of each word in a topic.");
    list.number("learn_alpha", learn_alpha, "epochs", 0, 1e9,
                "Re-estimate alpha, for each topic, every N epochs; 0: never.");
    list.number("learn_beta", learn_beta, "epochs", 0, 1e9, "Re-estimate beta every N epochs; 0: never.");
    list.number("burn_in", burn_in, "epochs", 0, 1e9, "The last epoch without re-estimates of alpha and beta.").needs =
        {"--learn_alpha or --learn_beta",
         [](const Options& given) { return given.integer("learn_alpha") > 0 || given.integer("learn_beta") > 0; }};
    list.number("copies", copies, "copies", 1, 1000,
                "Topics of each token, drawn together: with more, an epoch takes longer and fits better (SAME).");
    list.path("vocab", vocabulary, "File with the words, one a line in the order of their ids.");
    list.all_of(form);
    list.choice("start", start, {{"online", Start::online}, {"annealed", Start::annealed}, {"random", Start::random}},
                "First topics of the tokens: drawn from the counts so far; the same, and three epochs with a beta of "
                "at least 0.3, which may be better if documents have many hundred tokens; or drawn uniformly.")
        .needs = {"jobs without --init_model", [](const Options& given) { return !given.has("init_model"); }};
  }

  Priors priors() const { return {std::vector<double>(topics, alpha.value_or(0.1)), beta}; }
  double alpha_sum() const { return topics * alpha.value_or(0.1); }
  // What is learned at the end of an epoch.
  WhichPriors learned(Epoch epoch) const {
    const auto due = [&](Epoch every) { return epoch > burn_in && every > 0 && epoch % every == 0; };
    return {due(learn_alpha), due(learn_beta)};
  }
};

// Throws UsageError if the options contradict each other.
inline Settings settings_of(const Options& options) {
  Settings settings = rota::settings_of<Settings>(options);
  settings.form.check();
  settings.held_out = options.has("valid");
  if (settings.copies > 1 && settings.learn_alpha + settings.learn_beta > 0)
    throw UsageError("--copies excludes --learn_alpha and --learn_beta: the counts are those of all copies");
  return settings;
}

}  // namespace rota::lda
