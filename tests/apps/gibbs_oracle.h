// tests/apps/gibbs_oracle.h -- collapsed Gibbs sampling for LDA in the simplest form: one thread, dense tables,
// document after document, in doubles.  The reference for the LDA app.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

namespace rota::tests {

class GibbsOracle {
 public:
  struct Token {
    std::uint32_t document, word;
  };

  // Starts every token with a random topic.
  GibbsOracle(std::vector<Token> tokens, std::uint32_t documents, std::uint32_t words, std::uint32_t topics,
              double alpha, double beta, std::uint64_t seed);

  void sweep();
  // log p(words, topics | alpha, beta)
  double log_likelihood() const;
  std::size_t tokens() const { return tokens_.size(); }

 private:
  std::vector<Token> tokens_;
  std::uint32_t documents_, words_, topics_;
  double alpha_, beta_;
  std::mt19937_64 random_;
  std::vector<std::uint32_t> topic_of_;
  std::vector<std::vector<int>> document_topic_, word_topic_;
  std::vector<int> total_;
};

}  // namespace rota::tests
