// apps/lda/corpus.cc
#include "apps/lda/corpus.h"

#include <utility>

namespace rota::lda {

Corpus load_corpus(const Job& job, const Settings& settings, std::span<const ShardId> hosted) {
  Corpus corpus;
  corpus.hosted.resize(hosted.size());
  std::vector<ShardDocuments*> keeper(job.shards, nullptr);
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    corpus.hosted[i].shard = hosted[i];
    keeper[hosted[i]] = &corpus.hosted[i];
  }

  io::Vocabulary vocabulary =
      settings.vocabulary.empty() ? io::Vocabulary{} : io::Vocabulary::read(settings.vocabulary);
  const auto keep = [&](std::span<const io::WordCount> counts) {
    for (const io::WordCount& each : counts)
      if (ShardDocuments* shard = keeper[each.document % job.shards])
        shard->counts.push_back({each.document / job.shards, each.word, each.count});
  };
  corpus.size = io::read_corpus(job.input, settings.format, vocabulary, keep);
  for (std::uint64_t w = vocabulary.size(); w < corpus.size.words; ++w) vocabulary.number_of(std::to_string(w + 1));

  for (ShardDocuments& shard : corpus.hosted) {
    shard.documents = documents_of(corpus.size.documents, shard.shard, job.shards);
    shard.counts.shrink_to_fit();
  }
  corpus.vocabulary = std::make_shared<const io::Vocabulary>(std::move(vocabulary));
  return corpus;
}

}  // namespace rota::lda
