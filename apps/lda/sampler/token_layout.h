// apps/lda/sampler/token_layout.h -- one shard's tokens in the order in which they are visited: slice after slice, word
// after word, and last the replicated words.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rota/io/corpus.h"
#include "rota/slices.h"

namespace rota::lda {

// The tokens of one word.
struct WordTokens {
  std::uint32_t row;  // its place in the slice, or among the replicated words
  std::uint32_t begin, end;

  std::uint32_t count() const { return end - begin; }
};

class TokenLayout {
 public:
  TokenLayout() = default;
  // Throws std::logic_error if the cut misses a word.
  TokenLayout(const Cut& cut, std::span<const io::WordCount> counts);

  // The words of a slice that this shard has, in the order of their keys.
  std::span<const WordTokens> slice(SliceId slice) const { return group(slice); }
  std::span<const WordTokens> replicated() const { return group(group_begin_.size() - 2); }

  std::span<const std::uint32_t> documents() const { return documents_; }
  std::span<std::uint16_t> topics() { return topics_; }
  std::span<const std::uint16_t> topics() const { return topics_; }

 private:
  std::span<const WordTokens> group(std::size_t g) const {
    return std::span(words_).subspan(group_begin_[g], group_begin_[g + 1] - group_begin_[g]);
  }

  std::vector<std::uint32_t> documents_;  // of each token
  std::vector<std::uint16_t> topics_;     // of each token
  std::vector<WordTokens> words_;
  std::vector<std::size_t> group_begin_ = {0, 0};  // in words_: one group for each slice, and the replicated words
};

}  // namespace rota::lda
