// tests/unit/core/wire/round_messages.h -- the messages of a shared round, as tests make and read them.
#pragma once
#include <cstring>
#include <string_view>
#include <vector>

#include "core/wire/message.h"

namespace rota::tests {

inline Bytes bytes_of(const std::vector<double>& numbers) {
  Writer out;
  out.append(numbers.data(), numbers.size() * sizeof(double));
  return Bytes::from(out.take());
}

inline Bytes bytes_of(std::string_view text) {
  Writer out;
  out.append(text.data(), text.size());
  return Bytes::from(out.take());
}

inline std::vector<double> numbers_of(const Bytes& bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.view().data(), numbers.size() * sizeof(double));
  return numbers;
}

inline std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.view().data()), bytes.size()};
}

// Rows of a round without blocks and argument.
inline SharedRows rows_of(RoundId round, std::vector<Key> keys, TableId table = 0) {
  return {round, table, std::move(keys), {}, {}};
}

inline Expect expect_of(RoundId round, std::vector<Key> keys, TableId table = 0) {
  return {rows_of(round, std::move(keys), table), {}};
}

// `notes`: of the node's shards, ascending.
inline Parts parts_of(RoundId round, TreeNode node, const std::vector<double>& sums,
                      const std::vector<std::string>& notes) {
  Parts parts{round, node, bytes_of(sums), {}, {}};
  std::string all;
  for (const std::string& note : notes) {
    parts.note_sizes.push_back(note.size());
    all += note;
  }
  parts.notes = bytes_of(all);
  return parts;
}

// Of a node with all its leaves, whose shards have no notes.
inline Parts parts_of(RoundId round, TreeNode node, const std::vector<double>& sums) {
  return parts_of(round, node, sums, std::vector<std::string>(std::size_t{1} << node.level));
}

inline Deltas deltas_of(RoundId round, std::vector<Key> keys, const std::vector<double>& values, TableId table = 0,
                        std::string_view reply = {}) {
  return {rows_of(round, std::move(keys), table), bytes_of(values), bytes_of(reply)};
}

}  // namespace rota::tests
