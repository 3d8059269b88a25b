// rota/io/row_reader.h -- the rows of a matrix from a file of any format, each with its label.
//
//   libsvm         LIBSVM text (libsvm.h); the label is its first number
//   csv, tsv       CSV (csv_file.h); the label is the column that `target` names, or 0 without one
//   parquet        a table (core/sources/duckdb_table.h), read like CSV with a header
//   matrix_market  a matrix as in matrix_market.h, held in memory to be turned into rows; no labels, or the column that
//                  `target` numbers, from 1
//   npy, npz       arrays of NumPy and SciPy (numpy_file.h); labels in the same way
//   vw             Vowpal Wabbit's text (vw_rows.h): columns are hashes of names, and rows have weights.  It is never
//                  guessed, and only for apps that declare it beside other_options()
//   memory         data that the process holds (rota/memory_input.h); its name says so, whatever `format` is
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rota/io/libsvm.h"
#include "rota/options.h"

namespace rota::io {

// Settings of an app of rows (rota/settings.h).
struct RowForm {
  static constexpr bool kAboutInput = true;  // see Option

  std::string format = "auto";  // by the file's first bytes, and of text by the ending of its name: .csv, .tsv
  std::string target = {}, separator = {};
  bool fill_missing = false;
  std::uint64_t index_from = 1;
  // The columns that are wanted, in this order, of a CSV file with a header: those of other files, or of a model.
  // Others are left out, and the target need not be there.  Empty: all columns, in the order of the file.
  std::vector<std::string> names = {};
  // The number of columns that are wanted, those of a model; 0: all.  A file without names that has just as many has no
  // target, and text that needs none is not refused.
  std::uint64_t columns = 0;
  // Whether the rows must have labels.  if_there: a file with names need not have the target.  ignored: labels are 0,
  // and no target is read.
  enum class Labels { if_there, required, ignored } labels = Labels::if_there;
  // Labels of CSV may be words: then a row's label is the position of its word in RowReader::words().
  bool words_allowed = false;
  std::vector<std::string> words = {};  // known before

  void options(auto& list) {
    list.choice("format", format,
                {{"auto", "auto"},
                 {"libsvm", "libsvm"},
                 {"csv", "csv"},
                 {"tsv", "tsv"},
                 {"matrix_market", "matrix_market"},
                 {"npy", "npy"},
                 {"npz", "npz"},
                 {"parquet", "parquet"}},
                "The format of the rows; auto: by the file's content and, of text, its name's ending.");
    other_options(list);
  }
  void other_options(auto& list) {
    list.text("target", target,
              "The column of CSV, NumPy or Matrix Market data that has the labels: its name, or its number from 1.")
        .about_input = true;
    list.text("separator", separator,
              "What separates the fields of CSV: one character, or tab; without it, what the first line has.")
        .about_input = true;
    list.choice("missing", fill_missing, {{"refuse", false}, {"zero", true}},
                "What becomes of an empty field of CSV, or one that is NA: an error, or 0.")
        .about_input = true;
    list.choice("index_from", index_from, {{"0", 0}, {"1", 1}}, kIndexFrom.meaning).about_input = true;
  }
  // Throws UsageError.
  void check() const;
};
// The options that decide how data is read (Plugin::packed_options).
inline constexpr std::string_view kRowOptions[] = {"format", "target", "separator", "missing", "index_from"};

// Valid until the next one is read.
struct LabelledValues {
  double label = 0;
  // The entries that are not 0, by ascending column, from 0.
  std::span<const std::uint32_t> columns;
  std::span<const double> values;
  std::uint64_t written = 0;  // entries in the file, zeros too
  double weight = 1;          // of the row, if the format has one
  bool stays = false;         // columns and values are those of data in memory, and valid as long as it is there
};

// A part of a text file, in bytes: the lines that begin in it.
struct ByteRange {
  std::uint64_t begin = 0, end = 0;
};

class RowReader {
 public:
  virtual ~RowReader() = default;
  // False at the end.  Throws DataError.
  virtual bool next(LabelledValues& row) = 0;
  // Columns seen so far; that of a format which states it from the beginning.
  virtual std::uint64_t columns() const = 0;
  // Of the columns, without the target; empty if the format has none.
  virtual std::vector<std::string> names() const { return {}; }
  // The labels that are words: those known before, then others in the order of their rows.
  virtual std::vector<std::string> words() const { return {}; }
  // Of the row that was read last, from 1; 0 in a file without lines.
  virtual std::uint64_t line() const = 0;
  // For a row that the caller refuses: throws DataError with its file and line.
  [[noreturn]] virtual void fail(const std::string& what) const = 0;
};

// What "auto" finds: "memory" by the name; "npz", "npy" or "matrix_market" by the first bytes of the file, decompressed
// if it is; of other text "csv" or "tsv" by its name, or "text", as what can be read only once (a pipe).  Throws
// NoInput or DataError.
std::string found_format(const std::string& path);

// Throws NoInput or DataError; UsageError if the form does not fit the file's format: a target where labels have their
// place, or none where labels are required; a part of other than plain LIBSVM or Vowpal Wabbit text.
std::unique_ptr<RowReader> read_rows(const std::string& path, const RowForm& form,
                                     std::optional<ByteRange> part = std::nullopt);

}  // namespace rota::io
