// apps/lda/commands/trained_model.cc
#include "apps/lda/commands/trained_model.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "apps/lda/sampler/word_topic_slice.h"
#include "apps/lda/shard_state.h"
#include "rota/error.h"

namespace rota::lda {
namespace {

ShardState read_shard(const Model& model, ShardId shard, const Settings& settings) {
  const Bytes bytes = model.shard(shard);
  Reader in(bytes.view());
  ShardState state = ShardState::read(in);
  if (!in.done() || state.topics != settings.topics || state.shard != shard || state.shards != model.job().shards)
    throw DataError("shard " + std::to_string(shard), 0, "is not the state of an LDA shard of this job");
  return state;
}

WordRow& word_row(TrainedModel& trained, Key word) {
  if (word >= trained.words.size())
    throw DataError("cut", 0, "word " + std::to_string(word) + " is beyond the vocabulary");
  return trained.words[word];
}

void read_slice(const Model& model, SliceId id, TrainedModel& trained) {
  const std::vector<Key>& keys = model.cut().slices[id];
  WordTopicSlice slice(keys.size(), trained.settings.topics);
  const Bytes bytes = model.slice(id);
  Reader in(bytes.view());
  slice.decode(in);
  if (!in.done()) throw DataError("slice " + std::to_string(id), 0, "is not a slice of an LDA model");
  for (std::size_t i = 0; i < keys.size(); ++i) word_row(trained, keys[i]) = std::move(slice.row(i));
}

}  // namespace

TrainedModel read_model(const Model& model, bool with_documents) {
  TrainedModel trained;
  trained.settings = settings_of(model.job().options);
  trained.copies = trained.settings.copies;
  const std::uint32_t topics = trained.settings.topics;
  ShardState first = read_shard(model, 0, trained.settings);
  trained.priors = first.priors;
  trained.vocabulary = read_fields<std::vector<std::string>>(model.common());
  trained.words.resize(trained.vocabulary.size());
  for (SliceId b = 0; b < model.cut().slices.size(); ++b) read_slice(model, b, trained);
  for (const Key word : model.cut().replicated) {
    const std::vector<double> row = model.row(kTotals, kFirstReplicated + word);
    for (std::uint32_t k = 0; k < std::min<std::size_t>(topics, row.size()); ++k)
      if (row[k] > 0)
        word_row(trained, word).push_back({static_cast<std::uint32_t>(row[k]), static_cast<std::uint16_t>(k)});
  }
  trained.totals.resize(topics);
  for (const WordRow& row : trained.words)
    for (const TopicCount cell : row) trained.totals[cell.topic] += cell.count;
  const std::uint32_t shards = model.job().shards;
  for (ShardId s = 0; with_documents && s < shards; ++s) {
    ShardState state = s == 0 ? std::move(first) : read_shard(model, s, trained.settings);
    for (std::size_t i = 0; i < state.documents.size(); ++i) {
      const std::size_t document = s + i * shards;
      if (trained.documents.size() <= document) trained.documents.resize(document + 1);
      trained.documents[document] = std::move(state.documents[i].cells);
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
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  for (std::uint32_t w = 0; w < model.size(); ++w) numbers.emplace(model[w], w);
  std::vector<std::uint32_t> in_model(words.size(), kUnknownWord);
  for (std::size_t w = 0; w < words.size(); ++w)
    if (const auto found = numbers.find(words[w]); found != numbers.end()) in_model[w] = found->second;
  return in_model;
}

bool has_numbers(const std::vector<std::string>& words) {
  for (const std::size_t first : {0, 1}) {
    std::size_t place = 0;
    while (place < words.size() && words[place] == std::to_string(place + first)) ++place;
    if (place == words.size()) return true;
  }
  return false;
}

std::vector<std::vector<TopWord>> top_words(const TrainedModel& model, std::size_t most) {
  std::vector<std::vector<TopWord>> top(model.totals.size());
  const auto before = [](const TopWord& a, const TopWord& b) {
    return a.count != b.count ? a.count > b.count : a.word < b.word;
  };
  for (std::uint32_t w = 0; w < model.words.size(); ++w)
    for (const TopicCount cell : model.words[w]) top[cell.topic].push_back({w, cell.count});
  for (auto& words : top) {
    const std::size_t kept = std::min(most, words.size());
    std::partial_sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(kept), words.end(), before);
    words.resize(kept);
    words.shrink_to_fit();
  }
  return top;
}

}  // namespace rota::lda
