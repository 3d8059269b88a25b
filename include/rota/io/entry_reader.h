// rota/io/entry_reader.h -- entries of a matrix whose rows and columns have names, from a file of any format: the edges
// of a graph (from, to, weight), or ratings (user, item, rating, time).
//
//   text           an entry a line, its fields between blanks, a tab, a comma, a semicolon or "::"; more may follow.
//                  Between commas or semicolons a field may be quoted, as in CSV (RFC 4180), but not contain a line's
//                  end.  Empty lines and lines that begin with '#' are skipped
//   csv, tsv       the same between commas or semicolons, or tabs
//   parquet        a table, read like CSV with a header
//   matrix_market  coordinates as in matrix_market.h; the names are the numbers of row and column, from 1
//   npz            a sparse matrix of SciPy (numpy_file.h); the names are the numbers of row and column, from 0
//   npy            an array of NumPy (numpy_file.h): an entry a row; the names are whole numbers
//   memory         data that the process holds (rota/memory_input.h): sparse as npz, dense as npy
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rota::io {

// Settings of an app of entries (rota/settings.h).
struct EntryForm {
  static constexpr bool kAboutInput = true;  // see Option

  enum class Separator : std::uint8_t { unknown, blanks, tab, comma, semicolon, colons };
  enum class Header : std::uint8_t { unknown, yes, no };

  std::string format = "auto";  // found_format() of row_reader.h
  Separator separator = Separator::unknown;
  Header header = Header::unknown;
  std::string columns = {};
  // The app's own: the fields of an entry that may not be missing, 2 or 3, and what they are, for messages.
  std::size_t fewest = 2;
  std::string expected = "two names";
  // Names have no blanks: where text has blanks they separate the fields, unless it is csv or tsv, and the first line
  // between blanks names no columns.
  bool words = false;

  void options(auto& list) {
    list.choice("format", format,
                {{"auto", "auto"},
                 {"text", "text"},
                 {"csv", "csv"},
                 {"tsv", "tsv"},
                 {"matrix_market", "matrix_market"},
                 {"npy", "npy"},
                 {"npz", "npz"},
                 {"parquet", "parquet"}},
                "The format of the input; auto: by the file's content and, of text, its name's ending.");
    list.choice(
        "separator", separator,
        {{"auto", Separator::unknown},
         {"blanks", Separator::blanks},
         {"tab", Separator::tab},
         {"comma", Separator::comma},
         {"semicolon", Separator::semicolon},
         {"colons", Separator::colons}},
        "Separator between the fields of a line; auto: detected in the first line of each file.  colons: '::'.");
    list.choice(
        "header", header, {{"auto", Header::unknown}, {"yes", Header::yes}, {"no", Header::no}},
        "Whether the first line of each file names the columns; auto: if --columns has names, or by its words.");
    list.text("columns", columns,
              "The columns of text or .npy with the fields of an entry, in their order: names, or numbers from 1, "
              "separated by commas.  Without it, the first ones.");
  }
};
// The options that decide how data is read (Plugin::packed_options).
inline constexpr std::string_view kEntryOptions[] = {"format", "separator", "header", "columns"};

// Fields that are missing are "".  Valid until the next one is read.
struct Entry {
  std::string_view first, second, value, time;
  std::string_view line;  // the whole line; "" of a format without lines of fields
};

class EntryReader {
 public:
  virtual ~EntryReader() = default;
  // False at the end.  Throws DataError.
  virtual bool next(Entry& entry) = 0;
  // The line that names the columns, or "".
  const std::string& header() const { return header_; }
  // For an entry that the caller refuses: throws DataError with its file and line.
  [[noreturn]] virtual void fail(const std::string& what) const = 0;

 protected:
  std::string header_;
};

// Throws NoInput or DataError; UsageError for options that the format lacks.
std::unique_ptr<EntryReader> read_entries(const std::string& path, const EntryForm& form);

// Calls take(reader, entry) for every entry of the files.  Throws as read_entries() does.
template <typename Take>
void for_each_entry(const std::vector<std::string>& files, const EntryForm& form, Take take) {
  for (const std::string& file : files) {
    const std::unique_ptr<EntryReader> reader = read_entries(file, form);
    for (Entry entry; reader->next(entry);) take(*reader, entry);
  }
}

}  // namespace rota::io
