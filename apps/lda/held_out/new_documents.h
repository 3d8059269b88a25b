// apps/lda/held_out/new_documents.h -- documents for a trained model: their topics, and their probability.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/lda/commands/trained_model.h"
#include "rota/numerics/line_vector.h"
#include "rota/random.h"

namespace rota::lda {

struct WordInDocument {
  std::uint32_t word, count;
};
// Text: the words in their order, once each.  Other formats: in the order of the file.
using NewDocument = std::vector<WordInDocument>;

struct NewDocuments {
  std::vector<NewDocument> documents;
  std::uint64_t tokens = 0;
  std::uint64_t unknown = 0;  // tokens left out because the model does not have the word
};

// The formats are those of training.  Numbers of words are the model's: files that state a number of words must have
// its number; in others, words beyond are left out if the model's words have no names, and refused if they have.
// Throws NoInput or DataError.
NewDocuments read_new_documents(const std::vector<std::string>& files, const io::CorpusForm& form,
                                const std::vector<std::string>& vocabulary);

// The topics of a document that the model was not trained on.
//
// Zero-order collapsed variational inference (Asuncion, Welling, Smyth and Teh, "On smoothing and inference for topic
// models", UAI 2009, section 3.4) with constant phi.  With r_wk the probability that a token of word w
// has topic k, c_w tokens of it, and m_k = sum_w c_w r_wk, every word in turn gets
//
//   r_wk  ~  (m_k - r_wk + alpha_k) phi_wk
//
// until the shares theta_k = (m_k + alpha_k) / (N + A) converge.  It is deterministic, and a document's result does not
// depend on other documents.
class FoldIn {
 public:
  // Stops after `iterations`, or when no share changes by more than `tolerance`.  The model must outlive it.
  FoldIn(const TrainedModel& model, std::uint32_t iterations, double tolerance);

  // theta: a share for each topic, which add up to 1.  Valid until the next call.
  std::span<const double> shares(const NewDocument& document);

 private:
  void begin(const NewDocument& document);
  void visit(std::size_t word);

  const TrainedModel& model_;
  std::uint32_t iterations_;
  double tolerance_;
  std::size_t topics_;
  std::vector<double> counts_;    // c_w of the document's different words
  std::vector<double> phi_, r_;   // K for each of them
  std::vector<double> expected_;  // m
  std::vector<double> shares_, weights_;
};

// The probability of a document under a trained model.
//
// The left-to-right estimator (Wallach, Murray, Salakhutdinov and Mimno, "Evaluation methods for topic models", ICML
// 2009, algorithm 3): p(w) is the product over the tokens of p(w_n | w_<n), and each factor is averaged over particles
// that hold topics of the preceding tokens:
//
//   p(w_n | z_<n)  =  sum_k phi_wk (n_k + alpha_k) / (n - 1 + A)
//
// With resampling, a particle draws all its topics again before every token: N^2 / 2 draws for N tokens.
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
