// apps/lda/sampler/document_rows.cc
#include "apps/lda/sampler/document_rows.h"

#include <algorithm>
#include <limits>

namespace rota::lda {
namespace {

// Measured: up to here reading a row of all topics is faster than searching a list.
constexpr std::uint32_t kFewTopics = 256;
// Measured: with more topics the cost of a row of all is that of a list with a sixth of the topics.
constexpr std::uint32_t kRowTopicsPerListTopic = 6;

bool suits_list(std::uint64_t topics_of_document, std::uint32_t topics) {
  return topics_of_document * kRowTopicsPerListTopic <= topics;
}

}  // namespace

DocumentRows::DocumentRows(std::uint32_t topics, std::span<const std::uint32_t> lengths)
    : topics_(topics), lengths_(lengths.begin(), lengths.end()), rows_(lengths.size()) {
  std::uint64_t at = 0, wide_at = 0;
  for (std::size_t d = 0; d < rows_.size(); ++d) {
    const Choice its = choice(d);
    const RowKind kind = its == Choice::wide_only     ? RowKind::wide
                         : its == Choice::narrow_only ? RowKind::narrow
                                                      : RowKind::list;
    std::uint64_t& its_at = kind == RowKind::wide ? wide_at : at;
    all_narrow_ = all_narrow_ && kind == RowKind::narrow;
    rows_[d] = {its_at, 0, kind};
    its_at += room(d);
  }
  store_.assign(at, 0);
  wide_store_.assign(wide_at, 0);
}

DocumentRows::Choice DocumentRows::choice(std::size_t document) const {
  const std::uint32_t length = lengths_[document];
  if (length > std::numeric_limits<std::uint16_t>::max()) return Choice::wide_only;
  if (topics_ <= kFewTopics) return Choice::narrow_only;
  // A row fits if a list of all possible topics of the document does.
  const std::uint32_t longest = std::min(length, topics_);
  return !suits_list(longest, topics_) && 2 * padded(longest) >= padded(topics_) ? Choice::either : Choice::list_only;
}

std::uint64_t DocumentRows::room(std::size_t document) const {
  const Choice its = choice(document);
  const bool list = its == Choice::list_only || its == Choice::either;
  const std::uint64_t numbers = list ? 2 * padded(std::min(lengths_[document], topics_)) : padded(topics_);
  return (numbers + kListBlock - 1) / kListBlock * kListBlock;
}

void DocumentRows::append_counts(std::size_t document, std::vector<TopicCount>& to) const {
  const DocumentRow& row = rows_[document];
  if (row.kind == RowKind::list) {
    for (std::uint32_t i = 0; i < row.used; ++i) {
      const std::uint16_t* const at = store_.data() + row.at + list_place(i);
      to.push_back({at[kLanes], at[0]});
    }
    return;
  }
  const auto append_all = [&](const auto* counts) {
    std::size_t used = to.size();
    to.resize(used + topics_);
    for (std::uint32_t k = 0; k < topics_; ++k) {  // without a branch, which would be mispredicted often
      to[used] = {counts[k], static_cast<std::uint16_t>(k)};
      used += counts[k] != 0 ? 1 : 0;
    }
    to.resize(used);
  };
  row.kind == RowKind::wide ? append_all(wide_store_.data() + row.at) : append_all(store_.data() + row.at);
}

bool DocumentRows::assign(std::size_t document, bool as_list, std::span<const TopicCount> counts) {
  const Choice its = choice(document);
  if (as_list ? its != Choice::list_only && its != Choice::either : its == Choice::list_only) return false;
  DocumentRow& row = rows_[document];
  row.kind = as_list ? RowKind::list : its == Choice::wide_only ? RowKind::wide : RowKind::narrow;
  row.used = as_list ? static_cast<std::uint32_t>(counts.size()) : 0;
  all_narrow_ = all_narrow_ && row.kind == RowKind::narrow;
  if (row.kind == RowKind::wide) {
    std::uint32_t* const begin = wide_store_.data() + row.at;
    std::fill_n(begin, room(document), 0U);
    for (const TopicCount cell : counts) begin[cell.topic] = cell.count;
    return true;
  }
  std::uint16_t* const begin = store_.data() + row.at;
  std::fill_n(begin, room(document), std::uint16_t{0});
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<std::uint16_t>(counts[i].count);
    if (as_list) begin[list_place(i)] = counts[i].topic;
    begin[as_list ? list_place(i) + kLanes : counts[i].topic] = count;
  }
  return true;
}

void DocumentRows::add(std::size_t document, std::uint16_t topic) {
  DocumentRow& row = rows_[document];
  if (row.kind == RowKind::wide) {
    ++wide_store_[row.at + topic];
    return;
  }
  std::uint16_t* const begin = store_.data() + row.at;
  if (row.kind == RowKind::narrow) {
    ++begin[topic];
    return;
  }
  std::uint32_t i = 0;
  while (i < row.used && begin[list_place(i)] != topic) ++i;
  if (i == row.used) ++row.used;
  begin[list_place(i)] = topic;
  ++begin[list_place(i) + kLanes];
}

void DocumentRows::choose_forms() {
  std::vector<TopicCount> counts;
  for (std::size_t d = 0; d < rows_.size(); ++d) {
    if (choice(d) != Choice::either) continue;
    counts.clear();
    append_counts(d, counts);
    const bool as_list = suits_list(counts.size(), topics_);
    if (as_list != is_list(d)) assign(d, as_list, counts);
  }
}

}  // namespace rota::lda
