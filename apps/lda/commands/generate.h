// apps/lda/commands/generate.h -- `rota generate lda`: a corpus drawn from the model itself, as a UCI bag of words.
//
// Topics of a document: theta ~ Dirichlet(alpha), drawn as a Polya urn: a token has the topic of an earlier token of
// its document, or with probability K alpha / (n + K alpha) any topic.
//
// Words of a topic: over the whole corpus word r has a frequency of about r^-s (Zipf).  The ranks are cut into octaves
// [2^j, 2^(j+1)).  In each octave a topic has its own share of the words, which get the octave's whole frequency.  So
// no table of words by topics is needed, and the cost of a token does not depend on the sizes.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <span>

namespace rota::lda {

struct CorpusShape {
  std::uint64_t documents = 10'000;
  std::uint32_t words = 10'000, topics = 100;
  std::uint32_t length = 200;  // tokens in a document: from half of that to three halves, all equally likely
  double alpha = 0.1;          // of each topic
  double zipf = 1.05;          // s
  double word_share = 0.1;     // the share of an octave's words that a topic has
  std::uint64_t seed = 1;
};

// Equal shapes give equal corpora, provided that the C library's pow() is the same.
void generate_corpus(const CorpusShape& shape, std::ostream& out);

}  // namespace rota::lda
