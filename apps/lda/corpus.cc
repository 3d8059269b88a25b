// apps/lda/corpus.cc
#include "apps/lda/corpus.h"

#include <algorithm>
#include <string>
#include <utility>

#include "rota/error.h"
#include "rota/io/input_size.h"
#include "rota/io/row_reader.h"
#include "rota/io/text_file.h"
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

std::uint64_t ShardDocuments::items() const {
  std::uint64_t tokens = 0;
  for (const io::WordCount& each : train.counts) tokens += each.count;
  return tokens;
}

bool ShardDocuments::fits(const Corpus& corpus, const Job& job, ShardId shard) const {
  const auto fit = [&](const Documents& some, std::uint64_t documents) {
    return some.number == dealt_to(shard, documents, job.shards) &&
           std::ranges::all_of(some.counts, [&](const io::WordCount& each) { return each.word < corpus.words; });
  };
  return fit(train, corpus.documents) && fit(held_out, corpus.held_out_documents);
}

PackedApp<Corpus, ShardDocuments>::Loaded load_corpus(const Job& job, const Settings& settings,
                                                      std::span<const ShardId> hosted) {
  HostedShards<ShardDocuments> shards(job.shards, hosted);
  // A vector that grows to an unknown size takes twice the memory of its numbers.  What is reserved but not used takes
  // none.
  std::uint64_t known = 0;
  for (const std::string& file : job.input) known += is_memory_name(file) ? io::memory_entries(file) : 0;
  for (ShardDocuments& each : shards.all()) each.train.counts.reserve(known / job.shards * 5 / 4);
  const auto keep = [&](Documents ShardDocuments::*its) {
    return [&shards, its](std::span<const io::WordCount> counts) {
      for (const auto [document, word, count] : counts)
        if (ShardDocuments* const shard = shards.of_item(document))
          (shard->*its).counts.push_back({static_cast<std::uint32_t>(shards.number_in_shard(document)), word, count});
    };
  };
  const bool given = !settings.vocabulary.empty();
  io::Vocabulary vocabulary = given ? io::Vocabulary::read(settings.vocabulary) : io::Vocabulary{};
  const io::CorpusSize size = io::read_corpus(job.input, settings.form, vocabulary, keep(&ShardDocuments::train));
  require_dealt(size.documents, job.shards);
  // A million names take more memory than many a shard, so they are made only where they are needed.
  const bool asked = shards.of_shard(0) != nullptr || !job.valid.empty() || job.initial != nullptr;
  for (std::uint64_t w = vocabulary.size(); asked && w < size.words; ++w)
    vocabulary.number_of(std::to_string(size.format == "lda-c" ? w : w + 1));  // as in the input

  Corpus corpus{size.documents, size.words, size.tokens, 0, {}};
  if (!job.valid.empty()) {
    vocabulary.fix("of the training data");
    const io::CorpusSize valid =
        io::read_corpus(job.valid, settings.form, vocabulary, keep(&ShardDocuments::held_out), {.leave_out = !given});
    if (!given && size.named != valid.named)
      throw DataError(job.valid.front(), 0,
                      std::string("the held-out documents have ") +
                          (size.named ? "numbers for words, and the training data has names"
                                      : "names of words, and the training data has numbers") +
                          ": --vocab must name the words of the numbers");
    if (valid.tokens == 0)
      throw DataError(job.valid.front(), 0, "no word of the held-out documents is in the training data");
    corpus.held_out_documents = valid.documents;
  }
  for (const ShardId shard : hosted) {
    auto& [train, held_out] = *shards.of_shard(shard);
    train.number = static_cast<std::uint32_t>(dealt_to(shard, size.documents, job.shards));
    held_out.number = static_cast<std::uint32_t>(dealt_to(shard, corpus.held_out_documents, job.shards));
    if (known == 0) train.counts.shrink_to_fit();
  }
  corpus.vocabulary = vocabulary.words();
  return {std::move(corpus), std::move(shards.all())};
}

void repeat_tokens(std::uint32_t copies, Corpus& corpus, std::vector<ShardDocuments>& hosted) {
  if (corpus.tokens > io::kMostTokens / copies)
    throw UsageError("--copies=" + std::to_string(copies) + ": the copies are at most " +
                     std::to_string(io::kMostTokens) + " tokens");
  corpus.tokens *= copies;
  for (ShardDocuments& shard : hosted)
    for (io::WordCount& each : shard.train.counts) each.count *= copies;
}

std::uint32_t shards_for(std::uint64_t bytes) {
  constexpr std::uint64_t kBytesOfATask = 8 * 20'000, kSlicesOfAShard = 2;
  const auto fits = [&](std::uint64_t shards) { return bytes / kBytesOfATask >= shards * shards * kSlicesOfAShard; };
  std::uint32_t shards = kFewestShards;
  while (shards < kMostShards && fits(2 * std::uint64_t{shards})) shards *= 2;
  return shards;
}

ChosenShards choose_shards(const Job& job) {
  constexpr std::uint64_t kBytesOfACount = 12;  // in a bag of words
  std::uint64_t bytes = 0;
  for (const std::string& file : job.input)
    if (is_memory_name(file))
      bytes += kBytesOfACount * io::memory_entries(file);
    else
      bytes += io::found_format(file).starts_with("np") ? io::input_bytes({file}) : io::text_bytes({file});
  return {shards_for(bytes), std::to_string(bytes) + " bytes of text"};
}

}  // namespace rota::lda
