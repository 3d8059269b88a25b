// apps/lda/held_out/new_documents.h -- documents for a trained model, with the model's word numbers.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "apps/lda/commands/trained_model.h"

namespace rota::lda {

struct WordInDocument {
  std::uint32_t word, count;
};
// Text: the words in their order, once each.  UCI bag-of-words and LDA-C: in the order of the file.
using NewDocument = std::vector<WordInDocument>;

struct NewDocuments {
  std::vector<NewDocument> documents;
  std::uint64_t tokens = 0;
  std::uint64_t unknown = 0;  // tokens left out because the model does not have the word
};

// The formats are those of training.  A bag of words must have the model's number of words.  LDA-C's words are those of
// the model in its order; others are left out if the model's words have no names, and refused if they have.  Throws
// NoInput or DataError.
NewDocuments read_new_documents(const std::vector<std::string>& files, std::string_view format,
                                const std::vector<std::string>& vocabulary);

}  // namespace rota::lda
