// apps/lda/corpus.h -- the documents of the shards that one process hosts, in the form that `rota shard` can store.
//
// Document d of the input, counted from 0, belongs to shard d mod S and is its document number d / S.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/lda/settings.h"
#include "rota/packed_app.h"
#include "rota/plugin.h"

namespace rota::lda {

struct Documents {
  std::uint32_t number = 0;           // some may be empty
  std::vector<io::WordCount> counts;  // document: its number in the shard; in the order of the input

  // number; a count of pairs, and then for each: 2 * its count, and 1 more if a document follows, to which this and the
  // next pairs belong (0 at first); its word.  All are varints.
  void encode(Writer& out) const;
  void decode(Reader& in);
};

// What all shards know.
struct Corpus {
  std::uint64_t documents = 0, words = 0, tokens = 0;
  std::uint64_t held_out_documents = 0;
  std::vector<std::string> vocabulary;

  void fields(auto& list) {
    list(documents, words, tokens, held_out_documents, vocabulary);
    list.check(documents <= io::kMostDocuments && words <= io::kMostWords && tokens <= io::kMostTokens &&
               held_out_documents <= io::kMostDocuments && vocabulary.size() == words);
  }
};

struct ShardDocuments {
  Documents train, held_out;

  void fields(auto& list) { list(train, held_out); }
  std::uint64_t items() const;  // tokens
  bool fits(const Corpus& corpus, const Job& job, ShardId shard) const;
};

// Every token `copies` times.  Throws UsageError if that is too many.
void repeat_tokens(std::uint32_t copies, Corpus& corpus, std::vector<ShardDocuments>& hosted);

// Reads the whole input, keeping the hosted shards' documents; then the held-out data, if there is any, whose words are
// left out if the input does not have them.  The vocabulary is the same in every process: the given one, or all words
// that the input names in the order of their first occurrence, or numbers if they have no names.  Those numbers are
// missing in a process that does not need them: without shard 0, held-out data and a warm start.
PackedApp<Corpus, ShardDocuments>::Loaded load_corpus(const Job& job, const Settings& settings,
                                                      std::span<const ShardId> hosted);

inline constexpr std::uint32_t kFewestShards = kUsualShards, kMostShards = 256;
// The largest power of two from kFewestShards to kMostShards with which a task (one shard's visit to one of two slices
// a shard) still has 20,000 entries of a corpus of this size, at 8 bytes an entry: with fewer the overhead of a task
// matters (bench/RESULTS.md, "How many shards").
std::uint32_t shards_for(std::uint64_t bytes);
// By the size of the input's files, decompressed.
ChosenShards choose_shards(const Job& job);

}  // namespace rota::lda
