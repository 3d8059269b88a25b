// apps/lda/sampler/document_rows.cc
#include "apps/lda/sampler/document_rows.h"

#include <algorithm>
#include <limits>

namespace rota::lda {
namespace {

constexpr std::uint32_t kLineNumbers = 32;  // 16-bit numbers in a cache line

// Measured: up to here reading a row of all topics is faster than searching a list.
constexpr std::uint32_t kFewTopics = 256;
// Measured: with more topics the cost of a row of all is that of a list with a sixth of the topics.
constexpr std::uint32_t kRowTopicsPerListTopic = 6;

bool suits_list(std::uint64_t topics_of_document, std::uint32_t topics) {
  return topics_of_document * kRowTopicsPerListTopic <= topics;
}

// Hash tables are at most three quarters full, and at least a cache line long.
constexpr std::uint32_t kLeastBits = 4;
bool is_full(std::uint64_t used, std::uint32_t bits) {
  return used * 4 >= std::uint64_t{3} << bits;
}

}  // namespace

DocumentRows::DocumentRows(std::uint32_t topics, std::span<const std::uint32_t> lengths, const MhRule& rule)
    : topics_(topics), rule_(rule), lengths_(lengths.begin(), lengths.end()), rows_(lengths.size()) {
  std::uint64_t at = 0, wide_at = 0;
  for (std::size_t d = 0; d < rows_.size(); ++d) {
    const Choice its = choice(d);
    const std::uint64_t list_numbers = 2 * padded(std::min(lengths_[d], topics_));
    const bool list =
        its == Choice::list_only || its == Choice::either || (its == Choice::hash && list_numbers <= room(d));
    const RowKind kind = list ? RowKind::list : its == Choice::wide_only ? RowKind::wide : RowKind::narrow;
    std::uint64_t& its_at = kind == RowKind::wide ? wide_at : at;
    all_narrow_ = all_narrow_ && kind == RowKind::narrow;
    rows_[d] = {its_at, 0, kind, 0};
    its_at += room(d);
  }
  store_.assign(at, 0);
  wide_store_.assign(wide_at, 0);
}

std::uint64_t DocumentRows::room(std::size_t document) const {
  const Choice its = choice(document);
  const bool list = its == Choice::list_only || its == Choice::either;
  std::uint64_t numbers = list ? 2 * padded(std::min(lengths_[document], topics_)) : padded(topics_);
  if (its == Choice::hash) {
    std::uint32_t bits = kLeastBits;
    while (is_full(std::min(lengths_[document], topics_), bits)) ++bits;
    numbers = std::min(numbers, std::uint64_t{2} << bits);
  }
  return (numbers + kLineNumbers - 1) / kLineNumbers * kLineNumbers;
}

DocumentRows::Choice DocumentRows::choice(std::size_t document) const {
  const std::uint32_t length = lengths_[document];
  if (length > std::numeric_limits<std::uint16_t>::max()) return Choice::wide_only;
  if (topics_ <= kFewTopics) return Choice::narrow_only;
  if (is_mh(document)) return Choice::hash;
  // A row fits if a list of all possible topics of the document does.
  const std::uint32_t longest = std::min(length, topics_);
  return !suits_list(longest, topics_) && 2 * padded(longest) >= padded(topics_) ? Choice::either : Choice::list_only;
}

void DocumentRows::append_counts(std::size_t document, std::vector<TopicCount>& to) const {
  const DocumentRow& row = rows_[document];
  const std::uint16_t* const begin = store_.data() + row.at;
  const auto append = [&](std::uint32_t topic, std::uint32_t count) {
    if (count != 0) to.push_back({count, static_cast<std::uint16_t>(topic)});
  };
  if (row.kind == RowKind::list) {
    for (std::uint32_t i = 0; i < row.used; ++i) {
      const std::uint16_t* const at = begin + i / kLanes * kLineNumbers + i % kLanes;
      append(at[0], at[kLanes]);
    }
  } else if (row.kind == RowKind::hash) {
    const auto first = static_cast<std::ptrdiff_t>(to.size());
    for (std::uint32_t i = 0; i < 1U << row.bits; ++i) append(begin[2 * i], begin[2 * i + 1]);
    std::sort(to.begin() + first, to.end(), [](TopicCount a, TopicCount b) { return a.topic < b.topic; });
  } else if (row.kind == RowKind::narrow) {
    std::size_t used = to.size();
    to.resize(used + topics_);
    for (std::uint32_t k = 0; k < topics_; ++k) {  // without a branch, which would be mispredicted often
      to[used] = {begin[k], static_cast<std::uint16_t>(k)};
      used += begin[k] != 0 ? 1 : 0;
    }
    to.resize(used);
  } else {
    for (std::uint32_t k = 0; k < topics_; ++k) append(k, wide_store_[row.at + k]);
  }
}

void DocumentRows::clear(std::size_t document) {
  DocumentRow& row = rows_[document];
  if (row.kind == RowKind::wide)
    std::fill_n(wide_store_.data() + row.at, room(document), 0U);
  else if (row.kind == RowKind::hash)  // the room after it is zeros
    std::fill_n(store_.data() + row.at, std::size_t{2} << row.bits, std::uint16_t{0});
  else
    std::fill_n(store_.data() + row.at, room(document), std::uint16_t{0});
  row.used = 0;
}

bool DocumentRows::assign(std::size_t document, bool as_list, std::span<const TopicCount> counts) {
  const Choice its = choice(document);
  if (as_list ? its != Choice::list_only && its != Choice::either : its == Choice::list_only) return false;
  clear(document);
  DocumentRow& row = rows_[document];
  std::uint16_t* const begin = store_.data() + row.at;
  row.kind = as_list ? RowKind::list : its == Choice::wide_only ? RowKind::wide : RowKind::narrow;
  if (its == Choice::hash) row = hash_form(document, counts.size());
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    const TopicCount cell = counts[i];
    if (row.kind == RowKind::list) {
      std::uint16_t* const at = begin + i / kLanes * kLineNumbers + i % kLanes;
      at[0] = cell.topic;
      at[kLanes] = static_cast<std::uint16_t>(cell.count);
    } else if (row.kind == RowKind::hash) {
      hash(row).add(cell.topic, cell.count);
    } else if (row.kind == RowKind::narrow) {
      begin[cell.topic] = static_cast<std::uint16_t>(cell.count);
    } else {
      wide_store_[row.at + cell.topic] = cell.count;
    }
  }
  if (as_list || row.kind == RowKind::hash) row.used = static_cast<std::uint32_t>(counts.size());
  all_narrow_ = all_narrow_ && row.kind == RowKind::narrow;
  return true;
}

void DocumentRows::add(std::size_t document, std::uint16_t topic) {
  DocumentRow& row = rows_[document];
  std::uint16_t* const begin = store_.data() + row.at;
  if (row.kind == RowKind::wide) {
    ++wide_store_[row.at + topic];
  } else if (row.kind == RowKind::narrow) {
    ++begin[topic];
  } else if (row.kind == RowKind::hash) {
    if (!hash(row).add(topic, 1)) return;
    ++row.used;
    if (is_full(row.used, row.bits)) rebuild(document);
  } else {
    const auto place = [&](std::uint32_t i) { return begin + i / kLanes * kLineNumbers + i % kLanes; };
    std::uint32_t i = 0;
    while (i < row.used && place(i)[0] != topic) ++i;
    if (i == row.used) ++row.used;
    place(i)[0] = topic;
    ++place(i)[kLanes];
  }
}

void DocumentRows::remove(std::size_t document, std::uint16_t topic) {
  DocumentRow& row = rows_[document];
  if (row.kind == RowKind::wide)
    --wide_store_[row.at + topic];
  else if (row.kind == RowKind::narrow)
    --store_[row.at + topic];
  else if (hash(row).remove(topic))
    --row.used;
}

DocumentRow DocumentRows::hash_form(std::size_t document, std::size_t used) const {
  DocumentRow row{rows_[document].at, 0, RowKind::hash, kLeastBits};
  while (std::size_t{1} << row.bits < 2 * used) ++row.bits;
  const std::uint64_t places = room(document) / 2;
  // The longest table that a document may need fits into its room, unless a narrow row is shorter.
  if (std::uint64_t{1} << row.bits > places && !is_full(used, row.bits - 1U)) --row.bits;
  if (std::uint64_t{1} << row.bits > places) return {row.at, 0, RowKind::narrow, 0};
  return row;
}

void DocumentRows::rebuild(std::size_t document) {
  std::vector<TopicCount> counts;
  append_counts(document, counts);
  assign(document, false, counts);
}

void DocumentRows::shrink(std::size_t document) {
  const DocumentRow& row = rows_[document];
  if (row.kind == RowKind::list) return rebuild(document);
  const bool narrow = row.kind == RowKind::narrow;
  std::size_t used = row.used;
  for (std::uint32_t k = 0; narrow && k < topics_; ++k) used += store_[row.at + k] != 0 ? 1 : 0;
  const DocumentRow form = hash_form(document, used);
  if (form.kind == RowKind::hash && (narrow || form.bits < row.bits)) rebuild(document);
}

void DocumentRows::choose_forms() {
  std::vector<TopicCount> counts;
  for (std::size_t d = 0; d < rows_.size(); ++d) {
    if (choice(d) == Choice::hash) shrink(d);
    if (choice(d) != Choice::either) continue;
    counts.clear();
    append_counts(d, counts);
    const bool as_list = suits_list(counts.size(), topics_);
    if (as_list != is_list(d)) assign(d, as_list, counts);
  }
}

}  // namespace rota::lda
