// apps/lda/held_out/fold_in.h -- the topics of a document that the model was not trained on.
//
// Zero-order collapsed variational inference (Asuncion, Welling, Smyth and Teh, "On smoothing and inference for topic
// models", UAI 2009, section 3.4) with constant phi.  With r_wk the probability that a token of word w
// has topic k, c_w tokens of it, and m_k = sum_w c_w r_wk, every word in turn gets
//
//   r_wk  ~  (m_k - r_wk + alpha_k) phi_wk
//
// until the shares theta_k = (m_k + alpha_k) / (N + A) converge.  It is deterministic, and a document's result does not
// depend on other documents.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lda/commands/trained_model.h"
#include "apps/lda/held_out/new_documents.h"

namespace rota::lda {

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

}  // namespace rota::lda
