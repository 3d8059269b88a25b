// rota/io/category_rows.h -- CSV files of categories, with values that may be missing, as rows of numbers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rota/error.h"
#include "rota/io/lines.h"
#include "rota/io/numbers.h"
#include "rota/shards.h"
#include "rota/types.h"

namespace rota::io {

using CategoryRow = std::vector<std::uint32_t>;  // a value of every column
inline constexpr std::uint32_t kMissing = ~0U;

// The names of the columns, and of each column's values, which are numbered in the order in which they are found.
struct Categories {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> values;
  void fields(auto& list) { list(columns, values); }  // rota/fields.h
};

// The place of a word in the list; its size if it is not there.
inline std::size_t place_of(const std::vector<std::string>& words, std::string_view word) {
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

inline std::vector<std::string> split_at_commas(std::string_view line) {
  std::vector<std::string> fields;
  for (std::size_t comma = 0; (comma = line.find(',')) != line.npos; line.remove_prefix(comma + 1))
    fields.emplace_back(line.substr(0, comma));
  fields.emplace_back(line);
  return fields;
}

// Every file has the same header, and fields without quotes; an empty field or NA is missing.  Row i of all files, from
// 0, belongs to shard i mod S.  All rows are read, hosted here or not, so that all processes find the same categories
// and errors (DataError).
inline HostedShards<std::vector<CategoryRow>> deal_category_rows(const std::vector<std::string>& files,
                                                                 std::uint32_t shards, std::span<const ShardId> hosted,
                                                                 Categories& found) {
  HostedShards<std::vector<CategoryRow>> dealt(shards, hosted);
  std::uint64_t count = 0;
  for (const std::string& file : files) {
    Lines lines(file);
    std::string_view line;
    lines.next(line);
    if (found.columns.empty()) found.columns = split_at_commas(line);
    if (split_at_commas(line) != found.columns) lines.fail("another header than that of the first file");
    found.values.resize(found.columns.size());
    for (; lines.next(line); ++count) {
      const std::vector<std::string> fields = split_at_commas(line);
      if (fields.size() != found.columns.size())
        lines.fail(std::to_string(fields.size()) + " fields, but the header has " +
                   std::to_string(found.columns.size()));
      CategoryRow row;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const bool missing = fields[i].empty() || fields[i] == "NA";
        const std::size_t place = place_of(found.values[i], fields[i]);
        if (!missing && place == found.values[i].size()) found.values[i].push_back(fields[i]);
        row.push_back(missing ? kMissing : static_cast<std::uint32_t>(place));
      }
      if (auto* const its = dealt.of_item(count)) its->push_back(std::move(row));
    }
  }
  for (std::size_t i = 0; i < found.columns.size(); ++i)
    if (found.values[i].empty()) throw DataError(files[0], 1, "no value of column " + io::quoted(found.columns[i]));
  require_dealt(count, shards);
  return dealt;
}

}  // namespace rota::io
