// rota/io/row_reader.h -- the rows of a matrix from a file of any format, each with its label.
//
//   libsvm         LIBSVM text (libsvm.h); the label is its first number
//   csv, tsv       CSV (csv_file.h); the label is the column that `target` names, or 0 without one
//   matrix_market  a matrix as in matrix_market.h; no labels.  Held in memory to be turned into rows
//   npy, npz       arrays of NumPy and SciPy (numpy_file.h); no labels, or the column that `target` numbers, from 1
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rota/io/libsvm.h"
#include "rota/options.h"

namespace rota::io {

// Settings of an app of rows (rota/settings.h).
struct RowForm {
  std::string format = "auto";  // by the file's first bytes, and of text by the ending of its name: .csv, .tsv
  std::string target, separator;
  bool fill_missing = false;
  std::uint64_t index_from = 1;
  // The columns that are wanted, in this order, of a CSV file with a header: those of other files, or of a model.
  // Others are left out, and the target need not be there.  Empty: all columns, in the order of the file.
  std::vector<std::string> names = {};

  void options(auto& list) {
    list.choice("format", format,
                {{"auto", "auto"},
                 {"libsvm", "libsvm"},
                 {"csv", "csv"},
                 {"tsv", "tsv"},
                 {"matrix_market", "matrix_market"},
                 {"npy", "npy"},
                 {"npz", "npz"}},
                "The format of the rows; auto: by the file's content and, of text, its name's ending.");
    list.text("target", target, "The column of CSV or NumPy data that has the labels: its name, or its number from 1.");
    list.text("separator", separator,
              "What separates the fields of CSV: one character, or tab; without it, what the first line has.");
    list.choice("missing", fill_missing, {{"refuse", false}, {"zero", true}},
                "What becomes of an empty field of CSV, or one that is NA: an error, or 0.");
    list.choice("index_from", index_from, {{"0", 0}, {"1", 1}}, kIndexFrom.meaning);
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
  // Of the row that was read last, from 1; 0 in a file without lines.
  virtual std::uint64_t line() const = 0;
  // For a row that the caller refuses: throws DataError with its file and line.
  [[noreturn]] virtual void fail(const std::string& what) const = 0;
};

// What "auto" finds: "npz", "npy" or "matrix_market" by the first bytes of the file, decompressed if it is; of other
// text "csv" or "tsv" by its name, or "text", as what can be read only once (a pipe).  Throws NoInput or DataError.
std::string found_format(const std::string& path);

// Throws NoInput or DataError; UsageError if the format has no labels, and a target is given.
std::unique_ptr<RowReader> read_rows(const std::string& path, const RowForm& form);

}  // namespace rota::io
