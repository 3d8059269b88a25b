// apps/lda/packed_corpus.h -- a corpus as data by shard.
//
//   common:     documents, words, tokens: varints; the size of what follows: varint; each word's name: a text
//   of a shard: its documents, then its held-out documents, each as
//     a count, then a varint for each document: how many pairs it has
//     form: u8 (1: the pairs go document after document, 0: not)
//     a count, then for each pair: in form 0 its document; word; count: varints
#pragma once
#include <span>

#include "apps/lda/corpus.h"
#include "rota/packed.h"

namespace rota::lda {

// REQUIRES: all shards are in `corpus.hosted`, and all names in its vocabulary.
void pack_corpus(const Corpus& corpus, DataPacker& out);

// What load_corpus() made of the same input; the vocabulary is there under the same conditions.  Throws DataError.
Corpus unpack_corpus(const Job& job, const Settings& settings, std::span<const ShardId> hosted);

}  // namespace rota::lda
