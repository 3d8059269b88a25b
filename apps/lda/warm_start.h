// apps/lda/warm_start.h -- the first topics of the tokens, drawn from a model that was trained before.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/io/vocabulary.h"
#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/topic_count.h"
#include "rota/random.h"

namespace rota::lda {

// A model's text form (export.h), for the words of this job.  Constant once it is read, so shards may share it.
class OldModel {
 public:
  // Throws NoInput or DataError; UsageError if the number of topics is not this job's.
  OldModel(const std::string& folder, std::uint32_t topics, const io::Vocabulary& vocabulary);

  // The old model's.
  const Priors& priors() const { return priors_; }
  std::uint64_t known_words() const { return known_words_; }
  // phi_wk of all topics; the same for all topics if the old model does not have the word.
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

// Draws a topic in proportion to (n_dk + alpha_k) phi_k.  `upto` is room for K numbers.
std::uint16_t draw_topic(std::span<const double> document, std::span<const double> alphas, std::span<const double> phi,
                         std::span<double> upto, double uniform);

}  // namespace rota::lda
