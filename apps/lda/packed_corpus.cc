// apps/lda/packed_corpus.cc -- a corpus as data by shard.
//
//   common:     documents, words, tokens, held-out documents: varints; the size of what follows: varint; each word's
//   name: a text of a shard: its documents, then its held-out documents
#include <algorithm>
#include <memory>
#include <utility>

#include "apps/lda/corpus.h"
#include "rota/shards.h"

namespace rota::lda {

void Documents::encode(Writer& out) const {
  out.put_varint(number);
  out.put_varint(counts.size());
  std::uint32_t document = 0;
  for (const io::WordCount& each : counts) {
    const bool moved = std::exchange(document, each.document) != each.document;
    out.put_varint(2 * std::uint64_t{each.count} + (moved ? 1 : 0));
    if (moved) out.put_varint(document);
    out.put_varint(each.word);
  }
}

void Documents::decode(Reader& in) {
  number = in.get_bounded<std::uint32_t>(io::kMostDocuments);
  const std::size_t pairs = in.get_count(2);
  counts.reserve(pairs);
  std::uint64_t tokens = 0;
  std::uint32_t document = 0;
  while (counts.size() < pairs && in.ok()) {
    const auto count = in.get_bounded(2 * std::uint64_t{io::kMostRepeats} + 1);
    if (count % 2 == 1) document = in.get_bounded<std::uint32_t>(io::kMostDocuments);
    const auto word = in.get_bounded<std::uint32_t>(io::kMostWords);
    counts.push_back({document, word, static_cast<std::uint32_t>(count / 2)});
    tokens += count / 2;
    if (document >= number || count < 2 || tokens > io::kMostTokens) in.fail();
  }
}

namespace {

Corpus unpack_common(Reader& in, bool named) {
  Corpus corpus;
  corpus.size.documents = in.get_bounded(io::kMostDocuments);
  corpus.size.words = in.get_bounded(io::kMostWords);
  corpus.size.tokens = in.get_bounded(io::kMostTokens);
  corpus.held_out_documents = in.get_bounded(io::kMostDocuments);
  const std::span<const std::byte> text = in.get_bytes(in.get_count(1));
  if (corpus.size.words > text.size()) in.fail();
  io::Vocabulary vocabulary;
  Reader names(text);
  for (std::uint64_t w = 0; named && in.ok() && w < corpus.size.words && names.ok(); ++w)
    if (vocabulary.number_of(names.get_text()) != w) names.fail();  // a repeated name
  if (named && !names.done()) in.fail();
  corpus.vocabulary = std::make_shared<const io::Vocabulary>(std::move(vocabulary));
  return corpus;
}

Documents unpack_documents(Reader& in, std::uint64_t number, std::uint64_t words) {
  Documents documents;
  documents.decode(in);
  const auto known = [&](const io::WordCount& each) { return each.word < words; };
  if (documents.number != number || !std::all_of(documents.counts.begin(), documents.counts.end(), known)) in.fail();
  return documents;
}

}  // namespace

void pack_corpus(const Corpus& corpus, DataPacker& out) {
  Writer names, common;
  for (std::size_t w = 0; w < corpus.vocabulary->size(); ++w) names.put_text(corpus.vocabulary->word(w));
  for (const std::uint64_t size :
       {corpus.size.documents, corpus.size.words, corpus.size.tokens, corpus.held_out_documents})
    common.put_varint(size);
  common.put_all(names.view());
  out.common(common.view());
  for (const ShardDocuments& shard : corpus.hosted) {
    Writer documents;
    shard.train.encode(documents);
    shard.held_out.encode(documents);
    std::uint64_t tokens = 0;
    for (const io::WordCount& each : shard.train.counts) tokens += each.count;
    out.shard(shard.shard, tokens, documents.view());
  }
}

Corpus unpack_corpus(const Job& job, std::span<const ShardId> hosted) {
  const bool named = std::find(hosted.begin(), hosted.end(), ShardId{0}) != hosted.end() || job.initial != nullptr;
  Corpus corpus = job.packed->common([&](Reader& in) { return unpack_common(in, named); });
  const auto unpack = [&](Reader& in, ShardId shard, std::uint64_t documents) {
    return unpack_documents(in, dealt_to(shard, documents, job.shards), corpus.size.words);
  };
  for (const ShardId shard : hosted)
    corpus.hosted.push_back(job.packed->shard(shard, [&](Reader& in) {
      Documents train = unpack(in, shard, corpus.size.documents);
      return ShardDocuments{shard, std::move(train), unpack(in, shard, corpus.held_out_documents)};
    }));
  return corpus;
}

}  // namespace rota::lda
