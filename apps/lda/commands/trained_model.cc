// apps/lda/commands/trained_model.cc
#include "apps/lda/commands/trained_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "apps/lda/settings.h"
#include "apps/lda/shard_state.h"
#include "rota/io/report_text.h"
#include "rota/io/vocabulary.h"

namespace rota::lda {

TrainedModel read_model(const Model& model, bool with_documents) {
  const Settings settings = settings_of(model.job().options);
  TrainedModel trained;
  trained.copies = settings.copies;
  trained.vocabulary = read_fields<std::vector<std::string>>(model.common());
  trained.words.resize(trained.vocabulary.size());
  for (SliceId b = 0; b < model.cut().slices.size(); ++b) {
    const std::vector<Key>& keys = model.cut().slices[b];
    WordTopicSlice slice(keys.size(), settings.topics);
    const Bytes bytes = model.slice(b);
    Reader in(bytes.view());
    slice.decode(in);
    for (std::size_t i = 0; i < keys.size(); ++i) trained.words.at(keys[i]) = std::move(slice.row(i));
  }
  for (const Key word : model.cut().replicated) {
    const std::vector<double> row = model.row(kTotals, kFirstReplicated + word);
    for (std::uint32_t k = 0; k < row.size(); ++k)
      if (row[k] > 0)
        trained.words.at(word).push_back({static_cast<std::uint32_t>(row[k]), static_cast<std::uint16_t>(k)});
  }
  trained.totals.resize(settings.topics);
  for (const WordRow& row : trained.words)
    for (const TopicCount cell : row) trained.totals[cell.topic] += cell.count;
  const std::uint32_t shards = model.job().shards;
  for (ShardId s = 0; s < (with_documents ? shards : 1); ++s) {
    auto state = read_fields<ShardState>(model.shard(s));
    trained.priors = state.priors;
    for (std::size_t i = 0; with_documents && i < state.documents.size(); ++i) {
      const std::size_t document = s + i * shards;
      if (trained.documents.size() <= document) trained.documents.resize(document + 1);
      trained.documents[document] = std::move(state.documents[i]);
    }
  }
  return trained;
}

std::uint64_t tokens_of(std::span<const TopicCount> cells) {
  std::uint64_t tokens = 0;
  for (const TopicCount cell : cells) tokens += cell.count;
  return tokens;
}

void phi_of_word(const TrainedModel& model, std::uint32_t word, std::span<double> to) {
  const double beta = model.copies * model.priors.beta, v_beta = beta * static_cast<double>(model.words.size());
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = beta / (static_cast<double>(model.totals[k]) + v_beta);
  for (const TopicCount cell : model.words[word])
    to[cell.topic] = (cell.count + beta) / (static_cast<double>(model.totals[cell.topic]) + v_beta);
}

std::vector<std::uint32_t> numbers_in_model(const std::vector<std::string>& words,
                                            const std::vector<std::string>& model) {
  io::Vocabulary known;
  for (const std::string& word : model) (void)known.number_of(word);
  std::vector<std::uint32_t> numbers;
  for (const std::string& word : words) numbers.push_back(known.find(word).value_or(kUnknownWord));
  return numbers;
}

bool has_numbers(const std::vector<std::string>& words) {
  for (const std::size_t first : {0, 1}) {
    std::size_t place = 0;
    while (place < words.size() && words[place] == std::to_string(place + first)) ++place;
    if (place == words.size()) return true;
  }
  return false;
}

NewDocuments read_new_documents(const std::vector<std::string>& files, const io::CorpusForm& form,
                                const std::vector<std::string>& vocabulary) {
  NewDocuments read;
  io::Vocabulary words;
  std::vector<io::WordCount> all;  // checked at the end: a document's number may be too large
  const auto keep = [&](std::span<const io::WordCount> counts) { all.insert(all.end(), counts.begin(), counts.end()); };
  const io::CorpusSize size =
      io::read_corpus(files, form, words, keep, {.end = vocabulary.size(), .leave_out = has_numbers(vocabulary)});
  const std::vector<std::uint32_t> in_model = numbers_in_model(words.words(), vocabulary);
  read.documents.resize(size.documents);
  read.unknown = size.left_out;
  for (const io::WordCount& each : all) {
    const std::uint32_t word = size.named ? in_model[each.word] : each.word;
    if (word != kUnknownWord) read.documents[each.document].push_back({word, each.count});
    (word == kUnknownWord ? read.unknown : read.tokens) += each.count;
  }
  return read;
}

namespace {

// For each topic, the words that it has.
std::vector<std::vector<TopWord>> words_of_topics(const TrainedModel& model) {
  std::vector<std::vector<TopWord>> all(model.totals.size());
  for (std::uint32_t w = 0; w < model.words.size(); ++w)
    for (const TopicCount cell : model.words[w]) all[cell.topic].push_back({w, cell.count});
  return all;
}

}  // namespace

std::vector<std::vector<TopWord>> top_words(const TrainedModel& model, std::size_t most) {
  const auto all = words_of_topics(model);
  std::vector<std::vector<TopWord>> top(all.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    for (const std::uint32_t i : io::largest(all[k].size(), most, [&](auto at) { return all[k][at].count; }))
      top[k].push_back(all[k][i]);
  return top;
}

std::vector<std::vector<TopWord>> relevant_words(const TrainedModel& model, std::size_t most) {
  auto all = words_of_topics(model);
  std::vector<double> log_totals;
  for (const WordRow& row : model.words) log_totals.push_back(std::log(static_cast<double>(tokens_of(row))));
  for (auto& words : all) {
    std::ranges::stable_sort(words, std::ranges::greater(), &TopWord::count);  // of equal relevance the most frequent
    std::vector<bool> kept(words.size());
    for (int tenths = 0; tenths <= 10; ++tenths) {
      // As float, so that 4 of 10 and 6 of 15 are equal.
      const auto relevance = [&, lambda = tenths / 10.0](std::uint32_t at) {
        return static_cast<float>(std::log(words[at].count) - (1 - lambda) * log_totals[words[at].word]);
      };
      for (const std::uint32_t i : io::largest(words.size(), most, relevance)) kept[i] = true;
    }
    std::size_t n = 0;
    for (std::size_t i = 0; i < words.size(); ++i)
      if (kept[i]) words[n++] = words[i];
    words.resize(n);
  }
  return all;
}

std::string words_in(const TrainedModel& model, const std::vector<TopWord>& top) {
  std::string names;
  for (const TopWord each : top) names += (names.empty() ? "" : " ") + model.vocabulary[each.word];
  return names;
}

}  // namespace rota::lda
