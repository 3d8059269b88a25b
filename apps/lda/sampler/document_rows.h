// apps/lda/sampler/document_rows.h -- the topic counts n_dk of one shard's documents.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lda/sampler/cell_kernel.h"
#include "apps/lda/sampler/hash_row.h"
#include "apps/lda/sampler/sampler_choice.h"
#include "apps/lda/sampler/topic_count.h"
#include "rota/line_vector.h"

namespace rota::lda {

class DocumentRows {
 public:
  DocumentRows() = default;
  // Rows of zeros for documents of these lengths (in tokens).  Documents that `rule` selects have hash tables instead
  // of lists from the first choose_forms() on.
  DocumentRows(std::uint32_t topics, std::span<const std::uint32_t> lengths, const MhRule& rule = kNeverMh);

  std::size_t documents() const { return rows_.size(); }
  bool all_narrow() const { return all_narrow_; }
  DocumentRow* rows() { return rows_.data(); }
  std::uint16_t* store() { return store_.data(); }
  std::uint32_t* wide_store() { return wide_store_.data(); }

  bool is_mh(std::size_t document) const { return rule_.covers(topics_, lengths_[document]); }
  // n_dk of a document that is_mh() and is no longer a list.
  std::uint32_t count(std::size_t document, std::uint32_t topic) {
    const DocumentRow& row = rows_[document];
    if (row.kind == RowKind::hash) return hash(row).count(topic);
    return row.kind == RowKind::wide ? wide_store_[row.at + topic] : store_[row.at + topic];
  }
  // Where count() begins to read; for prefetching.
  const void* place(std::size_t document, std::uint32_t topic) {
    const DocumentRow& row = rows_[document];
    if (row.kind == RowKind::hash) return hash(row).home(topic);
    if (row.kind == RowKind::wide) return &wide_store_[row.at + topic];
    return &store_[row.at + topic];
  }

  // Appends the topics of a document with their counts: of a list in its order, which is part of the state because
  // sums follow it; otherwise ascending.
  void append_counts(std::size_t document, std::vector<TopicCount>& to) const;
  bool is_list(std::size_t document) const { return rows_[document].kind == RowKind::list; }
  // Replaces a row by these counts of different topics, whose sum is at most the document's number of tokens.  False if
  // the row cannot be a list as requested, or must be one.
  bool assign(std::size_t document, bool as_list, std::span<const TopicCount> counts);

  // Adds one token with a topic, outside the kernel.
  void add(std::size_t document, std::uint16_t topic);
  // Removes one, which the row has; for the documents of count().
  void remove(std::size_t document, std::uint16_t topic);

  // Gives every row the form that suits the number of topics of its document.  For the end of an epoch: between
  // epochs a form depends on the counts alone.
  void choose_forms();

 private:
  enum class Choice : std::uint8_t { list_only, narrow_only, wide_only, either, hash };
  Choice choice(std::size_t document) const;
  std::uint64_t room(std::size_t document) const;  // numbers in its part of the store
  void clear(std::size_t document);
  HashRow hash(const DocumentRow& row) { return HashRow(store_.data() + row.at, row.bits); }
  // The form of a `hash` document with this number of topics: a table that is at most half full if there is room, or a
  // narrow row if a table would be longer.
  DocumentRow hash_form(std::size_t document, std::size_t used) const;
  void rebuild(std::size_t document);  // in the form for its number of topics
  void shrink(std::size_t document);

  std::uint32_t topics_ = 0;
  MhRule rule_ = kNeverMh;
  std::vector<std::uint32_t> lengths_;
  std::vector<DocumentRow> rows_;
  LineVector<std::uint16_t> store_;
  LineVector<std::uint32_t> wide_store_;
  bool all_narrow_ = true;
};

}  // namespace rota::lda
