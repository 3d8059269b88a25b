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
  const auto keep_in = [&](std::vector<io::WordCount> ShardDocuments::*its) {
    return [&keeper, &job, its](std::span<const io::WordCount> counts) {
      for (const io::WordCount& each : counts)
        if (ShardDocuments* shard = keeper[each.document % job.shards])
          (shard->*its).push_back({each.document / job.shards, each.word, each.count});
    };
  };
  corpus.size = io::read_corpus(job.input, settings.format, vocabulary, keep_in(&ShardDocuments::counts));
  // A million names take more memory than many a shard: where nobody asks for them there are none.
  const bool asked = keeper[0] != nullptr || !job.valid.empty() || !settings.init.empty();
  for (std::uint64_t w = vocabulary.size(); asked && w < corpus.size.words; ++w)
    vocabulary.number_of(std::to_string(w + 1));

  if (!job.valid.empty()) {
    vocabulary.fix("of the training data");
    const io::CorpusSize size =
        io::read_corpus(job.valid, settings.format, vocabulary, keep_in(&ShardDocuments::held_out));
    for (ShardDocuments& shard : corpus.hosted)
      shard.held_out_documents = documents_of(size.documents, shard.shard, job.shards);
  }

  for (ShardDocuments& shard : corpus.hosted) {
    shard.documents = documents_of(corpus.size.documents, shard.shard, job.shards);
    shard.counts.shrink_to_fit();
  }
  corpus.vocabulary = std::make_shared<const io::Vocabulary>(std::move(vocabulary));
  return corpus;
}

}  // namespace rota::lda
