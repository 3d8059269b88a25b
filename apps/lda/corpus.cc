// apps/lda/corpus.cc
#include "apps/lda/corpus.h"

#include <string>
#include <utility>

#include "rota/error.h"
#include "rota/io/text_file.h"
#include "rota/shards.h"

namespace rota::lda {

namespace {

constexpr const char* kNumbersForText =
    "the held-out documents have numbers for words, and the training data is text: --vocab must name the words of the "
    "numbers";
constexpr const char* kTextForNumbers =
    "the held-out documents are text, and the training data has numbers for words: --vocab must name the words of the "
    "numbers";

}  // namespace

Corpus load_corpus(const Job& job, const Settings& settings, std::span<const ShardId> hosted) {
  Corpus corpus;
  HostedShards<ShardDocuments> keep(job.shards, hosted);
  for (std::size_t i = 0; i < hosted.size(); ++i) keep.all()[i].shard = hosted[i];

  io::Vocabulary vocabulary =
      settings.vocabulary.empty() ? io::Vocabulary{} : io::Vocabulary::read(settings.vocabulary);
  const auto keep_in = [&](Documents ShardDocuments::*its) {
    return [&keep, &job, its](std::span<const io::WordCount> counts) {
      for (const io::WordCount& each : counts)
        if (ShardDocuments* shard = keep.of_item(each.document))
          (shard->*its).counts.push_back({each.document / job.shards, each.word, each.count});
    };
  };
  corpus.size = io::read_corpus(job.input, settings.format, vocabulary, keep_in(&ShardDocuments::train));
  require_dealt(corpus.size.documents, job.shards);
  // A million names take more memory than many a shard, so they are made only where they are needed.
  const bool asked = keep.of_shard(0) != nullptr || !job.valid.empty() || job.initial != nullptr;
  const bool lda_c = corpus.size.format == io::CorpusFormat::lda_c;
  for (std::uint64_t w = vocabulary.size(); asked && w < corpus.size.words; ++w)
    vocabulary.number_of(std::to_string(lda_c ? w : w + 1));  // as in the input

  if (!job.valid.empty()) {
    vocabulary.fix("of the training data");
    const bool named = !settings.vocabulary.empty();
    const io::CorpusSize size = io::read_corpus(job.valid, settings.format, vocabulary,
                                                keep_in(&ShardDocuments::held_out), {.leave_out = !named});
    const bool text = corpus.size.format == io::CorpusFormat::text;
    if (!named && text != (size.format == io::CorpusFormat::text))
      throw DataError(job.valid.front(), 0, text ? kNumbersForText : kTextForNumbers);
    if (size.tokens == 0)
      throw DataError(job.valid.front(), 0, "no word of the held-out documents is in the training data");
    corpus.held_out_documents = size.documents;
    for (ShardDocuments& shard : keep.all())
      shard.held_out.number = static_cast<std::uint32_t>(dealt_to(shard.shard, size.documents, job.shards));
  }

  for (ShardDocuments& shard : keep.all()) {
    shard.train.number = static_cast<std::uint32_t>(dealt_to(shard.shard, corpus.size.documents, job.shards));
    shard.train.counts.shrink_to_fit();
  }
  corpus.hosted = std::move(keep.all());
  corpus.vocabulary = std::make_shared<const io::Vocabulary>(std::move(vocabulary));
  return corpus;
}

std::uint32_t shards_for(std::uint64_t bytes) {
  constexpr std::uint64_t kBytesOfATask = 8 * 20'000, kSlicesOfAShard = 2;
  const auto fits = [&](std::uint64_t shards) { return bytes / kBytesOfATask >= shards * shards * kSlicesOfAShard; };
  std::uint32_t shards = kFewestShards;
  while (shards < kMostShards && fits(2 * std::uint64_t{shards})) shards *= 2;
  return shards;
}

ChosenShards choose_shards(const Job& job) {
  const std::uint64_t bytes = io::text_bytes(job.input);
  return {shards_for(bytes), std::to_string(bytes) + " bytes of text"};
}

}  // namespace rota::lda
