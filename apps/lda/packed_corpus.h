// apps/lda/packed_corpus.h -- a corpus as data by shard.
//
//   common:     documents, words, tokens: varints; the size of what follows: varint; each word's name: a text
//   of a shard: its documents, then its held-out documents, each as
//     a count, then a varint for each document: its number of pairs
//     form: u8 (1: the pairs are in the order of the documents, 0: not)
//     a count, then for each pair: in form 0 its document; word; count: varints
#pragma once
#include <span>

#include "apps/lda/corpus.h"
#include "rota/packed.h"

namespace rota::lda {

// REQUIRES: all shards are in `corpus.hosted`, and all names in its vocabulary.
void pack_corpus(const Corpus& corpus, DataPacker& out);

// The result of load_corpus() for the same input; it has a vocabulary under the same conditions.  Throws DataError.
Corpus unpack_corpus(const Job& job, std::span<const ShardId> hosted);

}  // namespace rota::lda
