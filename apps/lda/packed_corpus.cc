#include "apps/lda/packed_corpus.h"

#include <algorithm>
#include <utility>

#include "rota/shards.h"

namespace rota::lda {
namespace {

using Counts = std::vector<io::WordCount>;

void pack_documents(std::uint32_t documents, const Counts& counts, Writer& out) {
  std::vector<std::uint64_t> pairs(documents);
  for (const io::WordCount& each : counts) ++pairs[each.document];
  out.put_varint(documents);
  for (const std::uint64_t count : pairs) out.put_varint(count);
  const bool in_order = std::is_sorted(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.document < b.document; });
  out.put(static_cast<std::uint8_t>(in_order));
  out.put_varint(counts.size());
  for (const io::WordCount& each : counts) {
    if (!in_order) out.put_varint(each.document);
    out.put_varint(each.word);
    out.put_varint(each.count);
  }
}

// Returns the number of documents.
std::uint32_t unpack_documents(Reader& in, std::uint64_t words, Counts& counts) {
  const std::size_t documents = in.get_count(1);
  if (documents > io::kMostDocuments) in.fail();
  std::vector<std::uint64_t> left(in.ok() ? documents : 0);
  std::uint64_t pairs = 0, tokens = 0;
  for (std::uint64_t& of_document : left) pairs += of_document = in.get_bounded(io::kMostTokens);
  const bool in_order = in.get_bounded<unsigned>(1) == 1;
  if (in.get_count(2) != pairs || (words == 0 && pairs > 0)) in.fail();
  std::uint32_t next = 0;  // document in order
  if (in.ok()) counts.reserve(pairs);
  for (std::uint64_t i = 0; i < pairs && in.ok(); ++i) {
    while (in_order && left[next] == 0) ++next;
    const auto document = in_order ? next : in.get_bounded<std::uint32_t>(documents - 1);
    const auto word = in.get_bounded<std::uint32_t>(words - 1);
    const auto count = in.get_bounded<std::uint32_t>(io::kMostRepeats);
    tokens += count;
    if (count == 0 || left[document] == 0 || tokens > io::kMostTokens) in.fail();
    --left[document];
    counts.push_back({document, word, count});
  }
  return static_cast<std::uint32_t>(documents);
}

struct Common {
  io::CorpusSize size;
  io::Vocabulary names;
};

Common unpack_common(Reader& in, bool named) {
  Common common;
  common.size.documents = in.get_bounded(io::kMostDocuments);
  common.size.words = in.get_bounded(io::kMostWords);
  common.size.tokens = in.get_bounded(io::kMostTokens);
  const std::span<const std::byte> text = in.get_bytes(in.get_count(1));
  if (common.size.words > text.size()) in.fail();
  if (!named || !in.ok()) return common;
  Reader names(text);
  for (std::uint64_t w = 0; w < common.size.words && names.ok(); ++w)
    if (common.names.number_of(names.get_text()) != w) names.fail();  // a repeated name
  if (!names.done()) in.fail();
  return common;
}

}  // namespace

void pack_corpus(const Corpus& corpus, DataPacker& out) {
  Writer names, common;
  for (std::size_t w = 0; w < corpus.vocabulary->size(); ++w) names.put_text(corpus.vocabulary->word(w));
  common.put_varint(corpus.size.documents);
  common.put_varint(corpus.size.words);
  common.put_varint(corpus.size.tokens);
  common.put_all(names.view());
  out.common(common.view());
  for (const ShardDocuments& shard : corpus.hosted) {
    Writer documents;
    pack_documents(shard.documents, shard.counts, documents);
    pack_documents(shard.held_out_documents, shard.held_out, documents);
    std::uint64_t tokens = 0;
    for (const io::WordCount& each : shard.counts) tokens += each.count;
    out.shard(shard.shard, tokens, documents.view());
  }
}

Corpus unpack_corpus(const Job& job, std::span<const ShardId> hosted) {
  Corpus corpus;
  const bool named = std::find(hosted.begin(), hosted.end(), ShardId{0}) != hosted.end() || job.initial != nullptr;
  Common common = job.packed->common([&](Reader& in) { return unpack_common(in, named); });
  corpus.size = common.size;
  corpus.vocabulary = std::make_shared<const io::Vocabulary>(std::move(common.names));
  for (const ShardId shard : hosted)
    corpus.hosted.push_back(job.packed->shard(shard, [&](Reader& in) {
      ShardDocuments documents;
      documents.shard = shard;
      documents.documents = unpack_documents(in, corpus.size.words, documents.counts);
      documents.held_out_documents = unpack_documents(in, corpus.size.words, documents.held_out);
      if (documents.documents != dealt_to(shard, corpus.size.documents, job.shards)) in.fail();
      return documents;
    }));
  return corpus;
}

}  // namespace rota::lda
