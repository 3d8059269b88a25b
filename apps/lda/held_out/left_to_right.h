// apps/lda/held_out/left_to_right.h -- the probability of a document under a trained model.
//
// The left-to-right estimator (Wallach, Murray, Salakhutdinov and Mimno, "Evaluation methods for topic models", ICML
// 2009, algorithm 3): p(w) is the product over the tokens of p(w_n | w_<n), and each factor is averaged over particles
// that hold topics of the preceding tokens:
//
//   p(w_n | z_<n)  =  sum_k phi_wk (n_k + alpha_k) / (n - 1 + A)
//
// With resampling, a particle draws all its topics again before every token: N^2 / 2 draws for N tokens.
#pragma once
#include <cstdint>
#include <vector>

#include "apps/lda/commands/trained_model.h"
#include "apps/lda/held_out/new_documents.h"
#include "rota/numerics/line_vector.h"
#include "rota/random.h"

namespace rota::lda {

class LeftToRight {
 public:
  // The model must outlive it.
  LeftToRight(const TrainedModel& model, std::uint32_t particles, bool resample);

  // ln p(document)
  double log_probability(const NewDocument& document, Random& random);

 private:
  struct Particle {
    std::vector<std::uint32_t> tokens;  // n_k
    LineVector<float> counts;           // n_k + alpha_k
    std::vector<std::uint16_t> topics;  // of the tokens so far
  };
  void begin(const NewDocument& document);
  void count(Particle& particle, std::uint16_t topic, std::uint32_t by) const;
  double weigh(const Particle& particle, std::uint32_t word);
  std::uint16_t draw(double sum, Random& random) const;

  const TrainedModel& model_;
  bool resample_;
  std::size_t topics_, width_;
  std::vector<Particle> particles_;
  std::vector<std::uint32_t> tokens_;  // of the document: places of their words in phi_
  LineVector<float> phi_;              // of its different words
  LineVector<float> weights_;          // of the topics of one token
  std::vector<double> blocks_;         // their sums, by 16
};

}  // namespace rota::lda
