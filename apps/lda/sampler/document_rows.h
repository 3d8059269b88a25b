// apps/lda/sampler/document_rows.h -- the topic counts n_dk of one shard's documents.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "apps/lda/sampler/cell_kernel.h"
#include "apps/lda/sampler/word_topic_slice.h"
#include "rota/numerics/line_vector.h"

namespace rota::lda {

class DocumentRows {
 public:
  DocumentRows() = default;
  // Rows of zeros for documents of these lengths (in tokens).  `whole`: from choose_forms() or assign() on no row is a
  // list, so that words may be listed (cell_kernel.h).
  DocumentRows(std::uint32_t topics, std::vector<std::uint32_t> lengths, bool whole = false)
      : topics_(topics),
        lengths_(std::move(lengths)),
        whole_(whole),
        rows_(lengths_.size()),
        sums_(whole ? rows_.size() : 0) {
    std::uint64_t at = 0, wide_at = 0;
    for (std::size_t d = 0; d < rows_.size(); ++d) {
      const RowKind kind = may_be_list(d) ? RowKind::list : dense_kind(d);
      std::uint64_t& its_at = kind == RowKind::wide ? wide_at : at;
      all_narrow_ = all_narrow_ && kind == RowKind::narrow;
      rows_[d] = {its_at, 0, kind};
      its_at += room(d);
    }
    store_.assign(at, 0);
    wide_store_.assign(wide_at, 0);
  }

  const std::vector<std::uint32_t>& lengths() const { return lengths_; }

  bool all_narrow() const { return all_narrow_; }
  DocumentRow* rows() { return rows_.data(); }
  std::uint16_t* store() { return store_.data(); }
  std::uint32_t* wide_store() { return wide_store_.data(); }
  // Null unless all rows are whole.
  RowSum* sums() { return whole_ ? sums_.data() : nullptr; }

  // Replaces `to` by the topics of a document with their counts: of a list in its order, which is part of the state
  // because sums follow it; otherwise ascending.
  void counts_of(std::size_t document, std::vector<TopicCount>& to) const {
    to.clear();
    const DocumentRow& row = rows_[document];
    if (row.kind == RowKind::list) {
      for (std::uint32_t i = 0; i < row.used; ++i) {
        const std::uint16_t* const at = store_.data() + row.at + list_place(i);
        to.push_back({at[kLanes], at[0]});
      }
      return;
    }
    // First where fours of counts are that are not all 0, then those counts.  Both without branches, which would be
    // mispredicted often.
    const auto append_all = [&](const auto* counts) {
      constexpr std::uint32_t kBlock = 256, kTogether = 4;
      std::uint32_t fours[kBlock / kTogether];
      std::size_t used = 0;
      for (std::uint32_t block = 0; block < topics_; block += kBlock) {
        std::size_t found = 0;
        for (std::uint32_t k = block; k < std::min(topics_, block + kBlock); k += kTogether) {
          fours[found] = k;
          found += (counts[k] | counts[k + 1] | counts[k + 2] | counts[k + 3]) != 0 ? 1 : 0;
        }
        to.resize(used + kTogether * found);
        for (const std::uint32_t k : std::span(fours, found)) {
          for (std::uint32_t i = k; i < k + kTogether; ++i) {
            to[used] = {counts[i], static_cast<std::uint16_t>(i)};
            used += counts[i] != 0 ? 1 : 0;
          }
        }
      }
      to.resize(used);
    };
    row.kind == RowKind::wide ? append_all(wide_store_.data() + row.at) : append_all(store_.data() + row.at);
  }
  // Replaces a row by these counts of different topics, whose sum is at most the document's number of tokens, in the
  // form that suits their number.
  void assign(std::size_t document, std::span<const TopicCount> counts) {
    DocumentRow& row = rows_[document];
    const bool as_list = may_be_list(document) && (!may_be_dense(document) || suits_list(counts.size()));
    row.kind = as_list ? RowKind::list : dense_kind(document);
    row.used = as_list ? static_cast<std::uint32_t>(counts.size()) : 0;
    if (row.kind == RowKind::wide) {
      std::uint32_t* const begin = wide_store_.data() + row.at;
      std::fill_n(begin, room(document), 0U);
      for (const TopicCount cell : counts) begin[cell.topic] = cell.count;
      return;
    }
    std::uint16_t* const begin = store_.data() + row.at;
    std::fill_n(begin, room(document), std::uint16_t{0});
    for (std::uint32_t i = 0; i < counts.size(); ++i) {
      if (as_list) begin[list_place(i)] = counts[i].topic;
      begin[as_list ? list_place(i) + kLanes : counts[i].topic] = static_cast<std::uint16_t>(counts[i].count);
    }
  }
  // Adds one token with a topic, outside the kernel.
  void add(std::size_t document, std::uint16_t topic) {
    DocumentRow& row = rows_[document];
    std::uint16_t* const begin = store_.data() + row.at;
    if (row.kind == RowKind::wide) ++wide_store_[row.at + topic];
    if (row.kind == RowKind::narrow) ++begin[topic];
    if (row.kind != RowKind::list) return;
    std::uint32_t i = 0;
    while (i < row.used && begin[list_place(i)] != topic) ++i;
    if (i == row.used) ++row.used;
    begin[list_place(i)] = topic;
    ++begin[list_place(i) + kLanes];
  }
  // Gives every row the form that suits the number of topics of its document.  For the end of an epoch: between
  // epochs a form depends on the counts alone.
  void choose_forms() {
    std::vector<TopicCount> counts;
    for (std::size_t d = 0; d < rows_.size(); ++d) {
      if (!may_be_list(d) || !may_be_dense(d) || (whole_ && rows_[d].kind != RowKind::list)) continue;
      counts_of(d, counts);
      if (suits_list(counts.size()) != (rows_[d].kind == RowKind::list)) assign(d, counts);
    }
  }

 private:
  // Measured: up to here reading a row of all topics is faster than searching a list.
  static constexpr std::uint32_t kFewTopics = 256;
  // Measured: with more topics the cost of a row of all is that of a list with a sixth of the topics.
  static constexpr std::uint32_t kRowTopicsPerListTopic = 6;

  bool suits_list(std::uint64_t topics_of_document) const {
    return !whole_ && topics_of_document * kRowTopicsPerListTopic <= topics_;
  }
  RowKind dense_kind(std::size_t document) const {
    return lengths_[document] > std::numeric_limits<std::uint16_t>::max() ? RowKind::wide : RowKind::narrow;
  }
  bool may_be_list(std::size_t document) const {
    return topics_ > kFewTopics && dense_kind(document) == RowKind::narrow;
  }
  // Beside a list, if it fits where a list of all possible topics of the document does.
  bool may_be_dense(std::size_t document) const {
    const std::uint32_t longest = std::min(lengths_[document], topics_);
    return whole_ || !may_be_list(document) || (!suits_list(longest) && 2 * padded(longest) >= padded(topics_));
  }
  // Numbers in its part of the store.
  std::uint64_t room(std::size_t document) const {
    std::uint64_t numbers = may_be_list(document) ? 2 * padded(std::min(lengths_[document], topics_)) : padded(topics_);
    if (whole_) numbers = std::max<std::uint64_t>(numbers, padded(topics_));
    return (numbers + kListBlock - 1) / kListBlock * kListBlock;
  }

  std::uint32_t topics_ = 0;
  std::vector<std::uint32_t> lengths_;
  bool whole_ = false;
  std::vector<DocumentRow> rows_;
  std::vector<RowSum> sums_;
  LineVector<std::uint16_t> store_;
  LineVector<std::uint32_t> wide_store_;
  bool all_narrow_ = true;
};

}  // namespace rota::lda
