// apps/lda/commands/commands.h -- what the app offers beside training.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "apps/lda/commands/trained_model.h"
#include "rota/plugin.h"
#include "rota/random.h"

namespace rota::lda {

std::span<const Command> commands();
Command convert_command();
Command diagnostics_command();
Command evaluate_command();
Command predict_command();

// Writes topics.txt, word_topic.txt, doc_topic.txt, topic_map.csv, priors.txt and README.txt.  Throws
// std::runtime_error if it cannot.
void export_text(const Model& model, const std::filesystem::path& folder);

// The topics of a document that the model was not trained on: theta, a share for each topic, which add up to 1.
//
// Zero-order collapsed variational inference (Asuncion, Welling, Smyth and Teh, "On smoothing and inference for topic
// models", UAI 2009, section 3.4) with constant phi.  With r_wk the probability that a token of word w
// has topic k, c_w tokens of it, and m_k = sum_w c_w r_wk, every word in turn gets
//
//   r_wk  ~  (m_k - r_wk + alpha_k) phi_wk
//
// until the shares theta_k = (m_k + alpha_k) / (N + A) converge: no share changes by more than `tolerance`, or there
// were as many `iterations`.  It is deterministic, and a document's result does not depend on other documents.
std::vector<double> fold_in(const TrainedModel& model, const NewDocument& document, std::uint32_t iterations,
                            double tolerance);

// The probability of a document under a trained model, as its natural logarithm.
//
// The left-to-right estimator (Wallach, Murray, Salakhutdinov and Mimno, "Evaluation methods for topic models", ICML
// 2009, algorithm 3): p(w) is the product over the tokens of p(w_n | w_<n), and each factor is averaged over particles
// that hold topics of the preceding tokens:
//
//   p(w_n | z_<n)  =  sum_k phi_wk (n_k + alpha_k) / (n - 1 + A)
//
// With resampling, a particle draws all its topics again before every token: N^2 / 2 draws for N tokens.
double left_to_right(const TrainedModel& model, const NewDocument& document, std::uint32_t particles, bool resample,
                     Random& random);

// Measures of a topic's quality.  p(w|k) is n_wk / n_k; D counts the reference documents that have the word, or both
// words.  A value that is not defined, because the topic has no tokens or the reference too few of its words, is empty.
struct TopicDiagnostics {
  // 1 / sum_w p(w|k)^2: the number of words with the same value if all were equally frequent
  std::optional<double> effective_words;
  // sum_w p(w|k) ln (p(w|k) V): the distance from the uniform distribution; small: an unspecific topic
  std::optional<double> uniform_nats;
  // sum_w p(w|k) ln (p(w|k) / p(w)): the same distance from the whole training corpus
  std::optional<double> corpus_nats;
  // mean over its top words of p(w|k) / sum_j p(w|j)
  std::optional<double> exclusivity;
  // sum over pairs of its top words, l more frequent than m, of ln ((D(m,l) + 1) / D(l))
  // (Mimno et al., "Optimizing semantic coherence in topic models", EMNLP 2011)
  std::optional<double> umass;
  // mean over pairs of ln (p(m,l) / (p(m) p(l))) / -ln p(m,l), with p = D / number of documents; -1 for words that
  // never occur together  (Lau, Newman and Baldwin, "Machine reading tea leaves", EACL 2014)
  std::optional<double> npmi;
};

// Of every topic.  `top` are the topics' top words.
std::vector<TopicDiagnostics> diagnose(const TrainedModel& model, const std::vector<std::vector<TopWord>>& top,
                                       const std::vector<NewDocument>& reference);

}  // namespace rota::lda
