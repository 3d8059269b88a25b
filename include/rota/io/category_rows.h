// rota/io/category_rows.h -- CSV files of categories, with values that may be missing, as rows of numbers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rota/error.h"
#include "rota/io/csv_file.h"
#include "rota/io/lines.h"
#include "rota/io/numbers.h"

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

// Calls add(row) for the rows of all files.  All have the same header (csv_file.h); an empty field or NA is missing.
// Throws NoInput or DataError.
template <typename Add>
Categories read_category_rows(const std::vector<std::string>& paths, Add add) {
  Categories found;
  for (const std::string& path : paths) {
    CsvFile file(path, {.header = CsvForm::Header::yes});
    if (found.columns.empty()) found.columns = file.names();
    if (file.names() != found.columns) throw DataError(path, 1, "another header than that of the first file");
    found.values.resize(found.columns.size());
    for (std::vector<std::string_view> fields; file.next(fields);) {
      CategoryRow row;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const bool missing = fields[i].empty() || fields[i] == "NA";
        const std::size_t place = missing ? kMissing : place_of(found.values[i], fields[i]);
        if (!missing && place == found.values[i].size()) found.values[i].emplace_back(fields[i]);
        row.push_back(static_cast<std::uint32_t>(place));
      }
      add(std::move(row));
    }
  }
  for (std::size_t i = 0; i < found.columns.size(); ++i)
    if (found.values[i].empty()) throw DataError(paths[0], 1, "no value of column " + io::quoted(found.columns[i]));
  return found;
}

// A network of columns, from lines "NODE PARENT ...", a node's before those of its children: for every column itself
// and its parents, ascending.  Columns that are not named have no parents.  Throws NoInput or DataError.
inline std::vector<std::vector<std::size_t>> read_families(const std::string& path,
                                                           const std::vector<std::string>& columns) {
  std::vector<std::vector<std::size_t>> families(columns.size());
  std::vector<bool> named(columns.size());
  Lines lines(path);
  for (std::string_view line; lines.next(line);) {
    std::vector<std::size_t> nodes;
    for (std::string_view field; !(field = next_field(line)).empty();) {
      nodes.push_back(place_of(columns, field));
      if (nodes.back() == columns.size()) lines.fail("no column is named " + io::quoted(field));
    }
    if (nodes.empty() || named[nodes[0]]) lines.fail("expected a node not named before, and its parents");
    for (const std::size_t node : nodes) named[node] = true;
    families[nodes[0]] = nodes;
  }
  for (std::size_t column = 0; column < columns.size(); ++column) {
    std::vector<std::size_t>& family = families[column];
    family.push_back(column);
    std::ranges::sort(family);
    family.erase(std::unique(family.begin(), family.end()), family.end());
  }
  return families;
}

}  // namespace rota::io
