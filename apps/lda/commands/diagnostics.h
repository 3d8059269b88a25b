// apps/lda/commands/diagnostics.h -- `rota diagnostics lda`: measures of topic quality, as a table.
//
//   tokens          n_k: tokens of the topic
//   alpha           its Dirichlet parameter
//   effective_words 1 / sum_w p(w|k)^2: the number of words with the same value if all were equally frequent
//   uniform_nats    sum_w p(w|k) ln (p(w|k) V): the distance from the uniform distribution; small: an unspecific topic
//   corpus_nats     sum_w p(w|k) ln (p(w|k) / p(w)): the same distance from the whole training corpus
//   exclusivity     mean over its top words of p(w|k) / sum_j p(w|j)
//   umass           sum over pairs of its top words, l more frequent than m, of ln ((D(m,l) + 1) / D(l))
//                   (Mimno et al., "Optimizing semantic coherence in topic models", EMNLP 2011)
//   npmi            mean over pairs of ln (p(m,l) / (p(m) p(l))) / -ln p(m,l), with p = D / number of documents; -1 for
//                   words that never occur together  (Lau, Newman and Baldwin, "Machine reading tea leaves", EACL 2014)
//
// D counts the reference documents (--input) that have the word, or both words.  p(w|k) is n_wk / n_k.  A value that is
// not defined, because the topic has no tokens or the reference too few of its words, is an empty field.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <vector>

#include "apps/lda/commands/trained_model.h"
#include "apps/lda/held_out/new_documents.h"

namespace rota::lda {

struct TopicDiagnostics {
  std::optional<double> effective_words, uniform_nats, corpus_nats, exclusivity, umass, npmi;
};

// `top` are the topics' top words.
std::vector<TopicDiagnostics> diagnose(const TrainedModel& model, const std::vector<std::vector<TopWord>>& top,
                                       const std::vector<NewDocument>& reference);

}  // namespace rota::lda
