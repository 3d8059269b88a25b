// apps/lda/corpus.h -- the documents of the shards that one process hosts.
//
// Document d of the input, counted from 0, belongs to shard d mod S and is its document number d / S.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/lda/settings.h"
#include "rota/bytes.h"
#include "rota/io/corpus.h"
#include "rota/packed.h"
#include "rota/plugin.h"

namespace rota::lda {

struct Documents {
  std::uint32_t number = 0;           // some may be empty
  std::vector<io::WordCount> counts;  // document: its number in the shard; in the order of the input

  // Data by shard: number; a count of pairs, and then for each: 2 * its count, and 1 more if a document follows, to
  // which this and the next pairs belong (0 at first); its word.  All are varints.
  void encode(Writer& out) const;
  void decode(Reader& in);
};

struct ShardDocuments {
  ShardId shard = 0;
  Documents train, held_out;
};

struct Corpus {
  io::CorpusSize size;  // of all shards together
  std::uint64_t held_out_documents = 0;
  std::shared_ptr<const io::Vocabulary> vocabulary;
  std::vector<ShardDocuments> hosted;  // in the order asked for
};

// Reads the whole input, keeping the hosted shards' documents; then the held-out data, if there is any, whose words are
// left out if the input does not have them.  The vocabulary is the same in every process: the given one, or all words
// of a text in the order of their first occurrence, or numbers if there are no words.  Those numbers are missing in a
// process that does not need them: without shard 0, held-out data and a warm start.
Corpus load_corpus(const Job& job, const Settings& settings, std::span<const ShardId> hosted);

// Writes data by shard.  REQUIRES: all shards are in `corpus.hosted`, and all names in its vocabulary.
void pack_corpus(const Corpus& corpus, DataPacker& out);
// The result of load_corpus() for the same input; it has a vocabulary under the same conditions.  Throws DataError.
Corpus unpack_corpus(const Job& job, std::span<const ShardId> hosted);

inline constexpr std::uint32_t kFewestShards = kUsualShards, kMostShards = 256;
// The largest power of two from kFewestShards to kMostShards with which a task (one shard's visit to one of two slices
// a shard) still has 20,000 entries of a corpus of this size, at 8 bytes an entry: with fewer the overhead of a task
// matters (bench/RESULTS.md, "How many shards").
std::uint32_t shards_for(std::uint64_t bytes);
// By the size of the input's files, decompressed.
ChosenShards choose_shards(const Job& job);

}  // namespace rota::lda
