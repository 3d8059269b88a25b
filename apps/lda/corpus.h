// apps/lda/corpus.h -- the documents of the shards that one process hosts.
//
// Document d of the input, counted from 0, belongs to shard d mod S and is its document number d / S.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/lda/settings.h"
#include "rota/io/corpus.h"

namespace rota::lda {

struct ShardDocuments {
  ShardId shard = 0;
  std::uint32_t documents = 0;        // some may be empty
  std::vector<io::WordCount> counts;  // document: its number in the shard; in the order of the input
  std::uint32_t held_out_documents = 0;
  std::vector<io::WordCount> held_out;  // the same, of the held-out data
};

struct Corpus {
  io::CorpusSize size;  // of all shards together
  std::shared_ptr<const io::Vocabulary> vocabulary;
  std::vector<ShardDocuments> hosted;  // in the order asked for
};

// Reads the whole input, keeping the hosted shards' documents; then the held-out data, if there is any, whose words are
// left out if the input does not have them.  The vocabulary is the same in every process: the given one, or all words
// of a text in the order of their first occurrence, or numbers if there are no words.  Those numbers are missing in a
// process that does not need them: without shard 0, held-out data and a warm start.
Corpus load_corpus(const Job& job, const Settings& settings, std::span<const ShardId> hosted);

}  // namespace rota::lda
