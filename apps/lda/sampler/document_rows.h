// apps/lda/sampler/document_rows.h -- the topic counts n_dk of one shard's documents.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lda/sampler/cell_kernel.h"
#include "apps/lda/sampler/topic_count.h"
#include "rota/numerics/line_vector.h"

namespace rota::lda {

class DocumentRows {
 public:
  DocumentRows() = default;
  // Rows of zeros for documents of these lengths (in tokens).
  DocumentRows(std::uint32_t topics, std::span<const std::uint32_t> lengths);

  bool all_narrow() const { return all_narrow_; }
  DocumentRow* rows() { return rows_.data(); }
  std::uint16_t* store() { return store_.data(); }
  std::uint32_t* wide_store() { return wide_store_.data(); }

  // Appends the topics of a document with their counts: of a list in its order, which is part of the state because
  // sums follow it; otherwise ascending.
  void append_counts(std::size_t document, std::vector<TopicCount>& to) const;
  bool is_list(std::size_t document) const { return rows_[document].kind == RowKind::list; }
  // Replaces a row by these counts of different topics, whose sum is at most the document's number of tokens.  False if
  // the row cannot be a list as requested, or must be one.
  bool assign(std::size_t document, bool as_list, std::span<const TopicCount> counts);

  // Adds one token with a topic, outside the kernel.
  void add(std::size_t document, std::uint16_t topic);

  // Gives every row the form that suits the number of topics of its document.  For the end of an epoch: between
  // epochs a form depends on the counts alone.
  void choose_forms();

 private:
  enum class Choice : std::uint8_t { list_only, narrow_only, wide_only, either };
  Choice choice(std::size_t document) const;
  std::uint64_t room(std::size_t document) const;  // numbers in its part of the store

  std::uint32_t topics_ = 0;
  std::vector<std::uint32_t> lengths_;
  std::vector<DocumentRow> rows_;
  LineVector<std::uint16_t> store_;
  LineVector<std::uint32_t> wide_store_;
  bool all_narrow_ = true;
};

}  // namespace rota::lda
