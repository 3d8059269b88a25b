// tests/apps/gibbs_oracle.cc
#include "tests/apps/gibbs_oracle.h"

#include <cmath>
#include <utility>

namespace rota::tests {

GibbsOracle::GibbsOracle(std::vector<Token> tokens, std::uint32_t documents, std::uint32_t words, std::uint32_t topics,
                         double alpha, double beta, std::uint64_t seed)
    : tokens_(std::move(tokens)),
      documents_(documents),
      words_(words),
      topics_(topics),
      alpha_(alpha),
      beta_(beta),
      random_(seed),
      document_topic_(documents, std::vector<int>(topics)),
      word_topic_(words, std::vector<int>(topics)),
      total_(topics) {
  std::uniform_int_distribution<std::uint32_t> any(0, topics - 1);
  for (const Token& token : tokens_) {
    const std::uint32_t k = any(random_);
    topic_of_.push_back(k);
    ++document_topic_[token.document][k];
    ++word_topic_[token.word][k];
    ++total_[k];
  }
}

void GibbsOracle::sweep() {
  std::vector<double> upto(topics_);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    auto& in_document = document_topic_[tokens_[i].document];
    auto& of_word = word_topic_[tokens_[i].word];
    std::uint32_t k = topic_of_[i];
    --in_document[k], --of_word[k], --total_[k];
    double sum = 0;
    for (k = 0; k < topics_; ++k) {
      sum += (in_document[k] + alpha_) * (of_word[k] + beta_) / (total_[k] + words_ * beta_);
      upto[k] = sum;
    }
    const double target = uniform(random_) * sum;
    for (k = 0; k + 1 < topics_ && upto[k] <= target;) ++k;
    topic_of_[i] = k;
    ++in_document[k], ++of_word[k], ++total_[k];
  }
}

double GibbsOracle::log_likelihood() const {
  double sum = 0;
  for (const auto& row : document_topic_) {
    int length = 0;
    for (const int count : row) {
      sum += std::lgamma(count + alpha_) - std::lgamma(alpha_);
      length += count;
    }
    sum += std::lgamma(topics_ * alpha_) - std::lgamma(length + topics_ * alpha_);
  }
  for (const auto& row : word_topic_)
    for (const int count : row) sum += std::lgamma(count + beta_) - std::lgamma(beta_);
  for (const int count : total_) sum += std::lgamma(words_ * beta_) - std::lgamma(count + words_ * beta_);
  return sum;
}

}  // namespace rota::tests
