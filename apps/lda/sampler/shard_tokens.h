// apps/lda/sampler/shard_tokens.h -- the tokens of one shard: their documents, their topics, and the counts n_dk that
// follow from these.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lda/sampler/document_rows.h"
#include "apps/lda/sampler/topic_count.h"
#include "rota/bytes.h"
#include "rota/io/corpus.h"
#include "rota/slices.h"

namespace rota::lda {

// The topics of a document with their counts, which are not 0: of a list in its order.
struct DocumentTopics {
  bool is_list = false;
  std::vector<TopicCount> cells;

  void encode(Writer& out) const;
  void decode(Reader& in);
};

// The tokens of one word.
struct WordTokens {
  std::uint32_t row;  // its place in the slice, or among the replicated words
  std::uint32_t begin, end;

  std::uint32_t count() const { return end - begin; }
};

// One shard's tokens in the order in which they are visited: slice after slice, word after word, and last the
// replicated words.
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

class ShardTokens {
 public:
  ShardTokens(std::uint32_t topics, std::uint32_t documents, std::span<const io::WordCount> counts);
  // Lays the tokens out in the order of their visits.
  void attach(const Cut& cut, std::span<const io::WordCount> counts);

  std::uint64_t size() const { return size_; }
  std::span<const std::uint32_t> lengths() const { return lengths_; }  // of the documents, in tokens
  DocumentRows& rows() { return rows_; }                               // n_dk
  const DocumentRows& rows() const { return rows_; }
  TokenLayout& layout() { return layout_; }
  const TokenLayout& layout() const { return layout_; }
  // The topics of a document with their counts, in the order of its row.
  void counts_of(std::size_t document, std::vector<TopicCount>& to) const;

  // Sets all tokens' topics, and the documents' rows.  False if the two do not match.
  bool restore(std::span<const std::uint16_t> topics, std::span<const DocumentTopics> rows);

 private:
  // The counts by document that follow from the tokens' topics, topics ascending.
  std::vector<std::vector<TopicCount>> counted() const;

  std::uint64_t size_ = 0;
  std::vector<std::uint32_t> lengths_;
  DocumentRows rows_;
  TokenLayout layout_;
};

}  // namespace rota::lda
