// apps/lda/sampler/shard_tokens.h -- the tokens of one shard in the order in which they are visited: slice after slice,
// word after word, and last the replicated words.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "rota/io/corpus.h"
#include "rota/slices.h"

namespace rota::lda {

// Whether a document is in the sample of its shard, an eighth.
inline bool is_sampled(std::uint32_t document) {
  return document % 8 == 0;
}

// The tokens of one word, first those of the sample if there is one.
struct WordTokens {
  std::uint32_t word;
  std::uint32_t row;  // its place in the slice, or among the replicated words
  std::uint32_t begin, sample_end, end;

  std::uint32_t count() const { return end - begin; }
};
// Of a slice, or of the replicated words, those that a shard has, ascending; null if `word` is not one of them.
inline const WordTokens* find_word(std::span<const WordTokens> words, std::uint64_t word) {
  const auto at = std::ranges::lower_bound(words, word, {}, &WordTokens::word);
  return at != words.end() && at->word == word ? &*at : nullptr;
}

class ShardTokens {
 public:
  ShardTokens() = default;
  // Throws std::logic_error if the cut misses a word.
  ShardTokens(const Cut& cut, std::span<const io::WordCount> counts, bool with_sample = false) {
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t words = 0;
    for (const io::WordCount& each : counts) words = std::max(words, each.word + 1);
    std::vector<std::uint32_t> tokens(words, 0), place(words, kNone);  // of each word; the place of its next token
    for (const io::WordCount& each : counts) tokens[each.word] += each.count;

    std::uint32_t begin = 0;
    const auto add_group = [&](const std::vector<Key>& keys) {
      std::vector<WordTokens>& group = groups_.emplace_back();
      for (std::uint32_t row = 0; row < keys.size(); ++row) {
        const auto word = static_cast<std::uint32_t>(keys[row]);
        if (word >= words || tokens[word] == 0) continue;
        place[word] = begin;
        group.push_back({word, row, begin, begin, begin + tokens[word]});
        begin += tokens[word];
      }
    };
    for (const auto& keys : cut.slices) add_group(keys);
    add_group(cut.replicated);

    documents_.resize(begin);
    topics_.resize(begin);
    for (const bool sampled : {true, false}) {
      for (const io::WordCount& each : counts) {
        if ((with_sample && is_sampled(each.document)) != sampled) continue;
        std::uint32_t& at = place[each.word];
        if (at == kNone) throw std::logic_error("the cut lacks word " + std::to_string(each.word));
        std::fill_n(documents_.begin() + at, each.count, each.document);
        at += each.count;
      }
      if (!sampled) break;
      for (std::vector<WordTokens>& group : groups_)
        for (WordTokens& each : group) each.sample_end = place[each.word];
    }
  }

  // The words of every slice, and last the replicated words.
  const std::vector<std::vector<WordTokens>>& groups() const { return groups_; }
  const std::vector<WordTokens>& replicated() const { return groups_.back(); }

  // Of each token.
  std::span<std::uint32_t> documents() { return documents_; }
  std::span<std::uint16_t> topics() { return topics_; }
  std::span<const std::uint32_t> documents() const { return documents_; }
  std::span<const std::uint16_t> topics() const { return topics_; }

 private:
  std::vector<std::uint32_t> documents_;
  std::vector<std::uint16_t> topics_;
  std::vector<std::vector<WordTokens>> groups_;
};

}  // namespace rota::lda
